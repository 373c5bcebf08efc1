"""A stdio plugin: one line of JSON is a request, one line of JSON is its answer, until stdin ends.

Only answers may go to stdout. What is printed to stderr goes to the log.
"""

import json
import sys

calls = 0  # the process lives on, so it can remember


def activate(params):
    print(f"activated as {params['pluginId']}", file=sys.stderr)
    return {"hooks": [{"event": "PreToolUse", "matcher": "Shell*"}]}


def hook(params):
    global calls
    calls += 1
    command = json.loads(params["toolInput"] or "{}").get("command", "")
    if "push" in command.split() and {"-f", "--force"} & set(command.split()):
        return {"hook_result": {"decision": "deny", "message": "do not rewrite published history"}}
    return {"hook_result": {"decision": "allow", "data": {"calls": calls}}}


def deactivate(_params):
    return {}


ANSWERS = {"activate": activate, "hook": hook, "deactivate": deactivate}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = ANSWERS[request["method"]](request.get("params", {}))
    except Exception as error:  # a failure: for a guard, hookrun denies
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
