"""A scripted stand-in for a model, in the wire formats of Codex CLI (OpenAI Responses), Gemini CLI, Claude
Code and, for the others, OpenAI Chat Completions.

A step is ``{"tool", "args"}`` or ``{"say"}``. Which one is next is told by how many tool results a request
already carries, so that a request that is sent again gets the same answer again.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Step = dict[str, Any]


class ScriptedModel(ThreadingHTTPServer):
    """Plays *steps* on a free port of 127.0.0.1; ``requests`` are the questions it was asked."""

    daemon_threads = True

    def __init__(self, steps: list[Step]) -> None:
        super().__init__(("127.0.0.1", 0), _Door)
        self.steps = steps
        self.requests: list[dict[str, Any]] = []

    def step(self, request: dict[str, Any]) -> tuple[int, Step]:
        """Return how many tool results *request* carries, and what comes next."""
        count = len(tool_results(request))
        return count, self.steps[count] if count < len(self.steps) else {"say": "done"}


@contextmanager
def scripted_model(steps: list[Step]) -> Iterator[ScriptedModel]:
    """Serve *steps* until the block ends."""
    with ScriptedModel(steps) as model:
        thread = threading.Thread(target=model.serve_forever)
        thread.start()
        try:
            yield model
        finally:
            model.shutdown()
            thread.join()


def tool_results(request: dict[str, Any]) -> list[Any]:
    """Return the results of tools that *request* carries, in order."""
    items = [item for item in request.get("input", []) if isinstance(item, dict)]
    outputs = [item.get("output") for item in items if item.get("type", "").endswith("_call_output")]
    parts = [part for content in request.get("contents", []) for part in content.get("parts", [])]
    messages = request.get("messages", [])
    contents = [message.get("content") for message in messages]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return [
        *outputs,
        *(part["functionResponse"].get("response") for part in parts if "functionResponse" in part),
        *(block.get("content") for block in blocks if block.get("type") == "tool_result"),
        *(message.get("content") for message in messages if message.get("role") == "tool"),
    ]


class _Door(BaseHTTPRequestHandler):
    server: ScriptedModel
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._send(b'{"data": [], "models": []}', "application/json")

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if "count_tokens" in self.path:
            self._send(b'{"input_tokens": 3}', "application/json")
            return
        if "countTokens" in self.path:
            self._send(b'{"totalTokens": 3}', "application/json")
            return
        self.server.requests.append(request)
        request["stream"] = request.get("stream") or "streamGenerateContent" in self.path
        writers = {"enerateContent": _gemini_reply, "/messages": _claude_reply, "/chat/": _chat_reply}
        write = next((write for part, write in writers.items() if part in self.path), _openai_reply)
        reply = write(request, *self.server.step(request))
        content_type = "application/json" if reply.startswith("{") else "text/event-stream"
        self._send(reply.encode(), content_type)

    def _send(self, body: bytes, content_type: str) -> None:
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _openai_reply(_request: dict[str, Any], count: int, step: Step) -> str:
    item = {"id": f"item{count}", "status": "completed", **_openai_item(count, step)}
    no_tokens = {"cached_tokens": 0, "reasoning_tokens": 0}
    usage = {
        "input_tokens": 1,
        "input_tokens_details": no_tokens,
        "output_tokens": 1,
        "output_tokens_details": no_tokens,
        "total_tokens": 2,
    }
    head = {"id": "r1", "object": "response"}
    ended = {**head, "status": "completed", "output": [item], "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**head, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": ended},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def _openai_item(count: int, step: Step) -> dict[str, Any]:
    if "tool" not in step:
        text = {"type": "output_text", "text": step["say"], "annotations": []}
        return {"type": "message", "role": "assistant", "content": [text]}
    call = {"call_id": f"call{count}", "name": step["tool"]}
    if isinstance(step["args"], str):  # a tool whose input has no fields, such as apply_patch
        return {"type": "custom_tool_call", **call, "input": step["args"]}
    return {"type": "function_call", **call, "arguments": json.dumps(step["args"])}


def _gemini_reply(request: dict[str, Any], _count: int, step: Step) -> str:
    part: dict[str, Any] = {"text": step.get("say", "done")}
    if "tool" in step and request.get("tools"):  # it is also asked for things beside the conversation
        part = {"functionCall": {"name": step["tool"], "args": step["args"]}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    reply = json.dumps({"candidates": [candidate], "usageMetadata": usage})
    return f"data: {reply}\n\n" if request["stream"] else reply


def _claude_reply(request: dict[str, Any], count: int, step: Step) -> str:
    is_call = "tool" in step and bool(request.get("tools"))  # it is also asked for a title
    name, args = (step["tool"], step["args"]) if is_call else ("", {})
    block = {"type": "tool_use", "id": f"toolu_{count:02d}", "name": name, "input": {}}
    delta: dict[str, Any] = {"type": "input_json_delta", "partial_json": json.dumps(args)}
    if not is_call:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": step.get("say", "done")}
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": f"msg_{count}", "type": "message", "role": "assistant", "model": request.get("model")}
    message = {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    ended = {"stop_reason": "tool_use" if is_call else "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": usage},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def _chat_reply(request: dict[str, Any], count: int, step: Step) -> str:
    is_call = "tool" in step and bool(request.get("tools"))  # it may also be asked for a title
    message: dict[str, Any] = {"role": "assistant", "content": None if is_call else step.get("say", "done")}
    if is_call:
        function = {"name": step["tool"], "arguments": json.dumps(step["args"])}
        message["tool_calls"] = [{"index": 0, "id": f"call{count}", "type": "function", "function": function}]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": f"chat{count}", "created": 1, "model": request.get("model")}
    reason = "tool_calls" if is_call else "stop"
    if not request["stream"]:
        choices = [{"index": 0, "message": message, "finish_reason": reason}]
        return json.dumps({**head, "object": "chat.completion", "usage": usage, "choices": choices})
    head["object"] = "chat.completion.chunk"
    chunks = [
        {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
