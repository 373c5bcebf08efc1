"""Read an agent's event, fire it, and write the decision in the agent's own form."""

from __future__ import annotations

import os
import time

from hookrun.agents import DIALECTS, dialect_named, protocol_of
from hookrun.agents.reply.encodings import STOPS
from hookrun.agents.reply.writing import can_tell, write_decision, write_failure, write_refusal
from hookrun.config.config import ALL_HOOKS, environment
from hookrun.config.paths import PROJECT_VARIABLES, harmless, home_folder, is_inside, project_of_agent, started_project
from hookrun.events.payload_fields import EVENT_KEYS, event_names, own_event_keys, own_fields, read_payload
from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.events import folded
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem, Verdict
from hookrun.runner import FireOptions, HookRunner, event_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from hookrun.agents.reply.draft import Reply as Reply
    from hookrun.agents.reply.encodings import ReplyTable
    from hookrun.config.config import Config
    from hookrun.model.events import EventType
    from hookrun.model.values import Answer, Decision, Event, Hook

MOST_STOPS = 8  # times in a row that an agent is sent back at its end
_ASK_THE_USER = "ask the user to look at it"
_FOR_THE_MODEL = "Ask the user to look at them."
_FOR_THE_USER = "Look at them in a terminal of your own: `hookrun list` says what to do."
_MOST_TITLES = 10  # of hooks in one message
_NAMES_THE_EVENT = (*EVENT_KEYS, "type")
_MOST_OF_A_NAME = 100  # characters of a tool's name in a message
_AFTER_TOOL = ("PostToolUse", "PostToolUseFailure")


class Request(Frozen):
    """An event as an agent sent it."""

    event: EventType
    own_name: str  # of the event, in the agent's spelling
    payload: dict[str, Any]
    session_id: str
    cwd: str
    project: str  # the root that the agent names; "" when it names none


class Options(Frozen):
    """What the command line adds to a request."""

    project: str = ""  # the project's root
    hooks: tuple[str, ...] = ()  # paths of further hooks
    with_agents: tuple[str, ...] = ()  # other agents whose settings count


def agent_named(name: str) -> ReplyTable:
    """Return the replies that the agent *name* understands. Raises UsageError for an unknown agent."""
    if dialect_named(name) is None:
        from hookrun.model.text import did_you_mean

        hint = did_you_mean(name, [dialect.name for dialect in DIALECTS])
        raise UsageError(f"unknown agent {name!r}", hint=hint)
    return protocol_of(name).replies


def read_request(agent: str, data: bytes, event_name: str = "") -> Request:
    """Parse the payload *data*; *event_name* is its event when the agent does not name it.

    Raises HookrunError when it is not an object, names no event, or lacks the tool that its event needs."""
    given, repeated = _object(data)
    payload = _own_payload(agent, given, event_name)
    own_names = _event_names(payload, event_name)
    event = event_type(own_names[0])
    if repeated and (event.guarded or any(folded(key) in _NAMES_THE_EVENT for key in repeated)):
        raise HookrunError(f"duplicate keys: {', '.join(repeated)[:200]}", where="stdin", hint="send each key once")
    values, _, _ = read_payload({**payload, "event": own_names[0]}, own_names, dialect_named(agent))
    tool = values.get("tool_name")
    if event.has_tool and not (isinstance(tool, str) and tool):
        raise HookrunError(f"{own_names[0]} needs a tool, but the payload names none", where="stdin")
    place = {key: values[key] for key in ("session_id", "cwd") if isinstance(values.get(key), str)}
    return Request(
        event=event,
        own_name=own_names[0],
        payload=payload,
        session_id=place.get("session_id", ""),
        cwd=place.get("cwd", ""),
        project=_project(agent, own_names[0], payload, values.get("project_dir")),
    )


def answer(
    table: ReplyTable,
    request: Request,
    options: Options,
    *,
    began: float,
    limit: Callable[[float], None] = lambda _seconds: None,
) -> Reply:
    """Fire the event and return the decision in the agent's own form, with the text for stderr.

    *began* is when the agent started to wait (time.monotonic()): agents let the tool run once their own
    timeout has passed. *limit* is called before the hooks run, with the latest time at which they end, in
    seconds from *began*. Raises what HookRunner raises."""
    if not _may_be_a_folder(request.cwd):
        raise HookrunError(f"not a valid folder: {request.cwd[:100]!r}", where="cwd", hint="send a valid cwd")
    environ = _environment_of(table.name)
    with HookRunner.discover(
        request.cwd or None,
        project=options.project,
        agent_project=request.project,
        started_in=_started_in(),
        session_id=request.session_id,
        hooks=options.hooks,
        trust="",
        env=environ,
        is_isolated=True,
        asking=table.name,
        with_agents=options.with_agents,
    ) as runner:
        event, problems = runner.event(request.own_name, dialect=table.name, payload=request.payload)
        left = table.seconds_for_hooks(event.event) - (time.monotonic() - began)
        fire_options = FireOptions(at_most=max(left, 0.1), on_untrusted=runner.config.on_untrusted or "ask")
        limit(time.monotonic() - began + runner.longest(fire_options))
        decision = runner.fire(event, fire_options, problems)
        decision = with_trust_notice(_within_stops(runner, decision, table, request), _waiting_hooks(runner, event))
        decision = _with_failure_notices(runner, decision, table, request.own_name)
        decision = _with_unknown_tool_notice(runner, decision, table, request.own_name)
        reply = write_decision(
            table,
            decision,
            request.own_name,
            hints=_hints(runner, decision, table, request.own_name),
            has_terminal=decision.verdict in (Verdict.ASK, Verdict.DEFER) and _is_at_terminal(),
            ask_fallback=_ask_fallback(decision, runner.config),
        )
        problems = (*reply.problems, *decision.problems, *_failures(decision))
        return reply.replace(problems=tuple(map(_for_agents, problems)))


def failure(table: ReplyTable, request: Request | None, text: str) -> Reply:
    """Return the reply for a failure of hookrun itself, with the reason *text*: an event that is guarded, or
    that could not be read, is denied."""
    if request is None:
        return write_refusal(table, text)
    return write_failure(table, request.event.name, request.own_name, text)


def without_trust_commands(hint: str) -> str:
    """Return *hint*; where it names a command that trusts hooks, which only a person may run, ask for the user."""
    says_how = any(word in hint for word in ("hookrun trust", "hookrun untrust", constants.ENV_TRUST))
    return _ASK_THE_USER if says_how else hint


def _for_agents(problem: Problem) -> Problem:
    return problem.replace(hint=without_trust_commands(problem.hint))


def with_trust_notice(decision: Decision, untrusted: Sequence[Hook]) -> Decision:
    """Return *decision* with a notice about unapproved hooks: about all *untrusted* ones at the start of a
    session, otherwise about those that caused the decision. A model may read it, so it does not name the
    command that approves them, which only a person can use anyway."""
    if decision.event.event == "SessionStart":
        text = _waiting(untrusted, decision.event, _FOR_THE_USER)
        return decision.replace(user_messages=(*decision.user_messages, text)) if text else decision
    waiting = [
        answer.hook
        for answer in decision.answers
        if answer.status == constants.UNTRUSTED and answer.outcome.status != constants.GONE
    ]
    if waiting and decision.decided_by == constants.BY_TRUST:
        text = _waiting(waiting, decision.event, _FOR_THE_MODEL)
        return decision.replace(message="\n".join(filter(None, (decision.message, text))))
    return decision


def _waiting(hooks: Sequence[Hook], event: Event, what_to_do: str) -> str:
    if not hooks:
        return ""
    more = f" and {len(hooks) - _MOST_TITLES} more" if len(hooks) > _MOST_TITLES else ""
    named = harmless(", ".join(hook.title for hook in hooks[:_MOST_TITLES]))
    places = list(dict.fromkeys(hook.place for hook in hooks))
    where = "this project" if places == [event.project_dir] else harmless(" and ".join(places))
    return f"hooks of {where} are not approved and do not run: {named}{more}. {what_to_do}"


def _waiting_hooks(runner: HookRunner, event: Event) -> Sequence[Hook]:
    """Return the unapproved hooks at the start of a session, otherwise none."""
    if event.event != "SessionStart":
        return ()
    return [hook for hook in runner.loaded.registry.asked if runner.standing(hook).status != constants.TRUSTED]


def _own_payload(agent: str, given: dict[str, Any], event_name: str) -> dict[str, Any]:
    """Return *given* reduced to the agent's own fields where it has such. If the agent does not name the
    event, the command line's counts, whatever the payload says."""
    dialect = dialect_named(agent)
    payload = own_fields(given, dialect) if dialect else given
    is_named = dialect is not None and not dialect.leaves_out_event and own_event_keys(dialect, given)
    if not event_name or is_named:
        return payload
    return {key: value for key, value in payload.items() if folded(key) not in _NAMES_THE_EVENT}


def _object(data: bytes) -> tuple[dict[str, Any], list[str]]:
    """Return the JSON object in *data*, and the keys that occur twice in it or in an object inside it."""
    import json

    repeated: list[str] = []

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            keys = [key for key, _ in pairs]
            repeated.extend(key for key in value if keys.count(key) > 1)
        return value

    hint = "an agent sends one JSON object that names its event"
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if not text.strip():
        raise HookrunError("is empty", where="stdin", hint=hint)
    try:
        payload = json.loads(text, object_pairs_hook=mapping)
    except ValueError as error:
        raise HookrunError(f"is not JSON: {error}", where="stdin", hint=hint) from None
    except RecursionError:
        raise HookrunError("is nested too deeply", where="stdin", hint=hint) from None
    if not isinstance(payload, dict):
        raise HookrunError("is not an object", where="stdin", hint=hint)
    return payload, repeated


def _project(agent: str, own_name: str, payload: dict[str, Any], first: Any) -> str:
    """Return the project that the agent names, "" for none: of several roots the one that the bridge was started in,
    else the *first* that exists.

    Where an event implies its tool, its working directory is that of the command. A model chooses it, and would choose
    its guards with it: there the project is the one that the bridge was started in."""
    here = _started_in()
    roots = [root for root in (first, *_workspace_roots(payload)) if isinstance(root, str) and os.path.isdir(root)]
    if roots:
        return next((root for root in roots if here and is_inside(here, os.path.realpath(root))), roots[0])
    dialect = dialect_named(agent)
    return _project_at(here, agent) if here and dialect and own_name in dialect.tool_by_event else ""


def _workspace_roots(payload: dict[str, Any]) -> Iterator[Any]:
    for key, value in payload.items():
        if folded(key) == "workspaceroots" and isinstance(value, list):
            yield from value


def _project_at(folder: str, agent: str) -> str:
    """Return the project that *folder* is in; "" for none, for the home, and where a variable names one."""
    environ = _environment_of(agent)
    return "" if project_of_agent(environ) else started_project(folder, home_folder(environ))


def _environment_of(agent: str) -> dict[str, str]:
    """Return the process environment without what *agent* does not set itself: a repository can set the
    variables of an agent, and what they say must neither trust hooks nor choose the project."""
    environ = environment()
    dialect = dialect_named(agent)
    own = dialect.project_variables if dialect else ()
    for variable in (constants.ENV_TRUST, *PROJECT_VARIABLES):
        if variable not in own:
            environ.pop(variable, None)
    return environ


def _may_be_a_folder(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate
        return False


def _started_in() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


def _event_names(payload: dict[str, Any], event_name: str) -> list[str]:
    try:
        return event_names(payload)
    except UsageError as error:
        if event_name:
            return [event_name]
        raise HookrunError(error.message, where="stdin", hint="or say it: --event NAME") from None


def _within_stops(runner: HookRunner, decision: Decision, table: ReplyTable, request: Request) -> Decision:
    """Return *decision*; an agent that was sent back 8 times in a row may end: nothing loops for ever."""
    event = decision.event
    is_stop = event.event in STOPS
    if _begins_anew(event, table, request):
        runner.state.forget_stops(event)
    is_sent_back = is_stop and decision.verdict == Verdict.DENY and not decision.halt
    if is_sent_back and can_tell(table, "deny", event.event, request.own_name):
        count = runner.state.count_stop(event)
        if count is not None and count <= MOST_STOPS:
            return decision
        decision = _let_end(decision, count)
    if is_stop:
        runner.state.forget_stops(event)
    return decision


def _begins_anew(event: Event, table: ReplyTable, request: Request) -> bool:
    """Say whether a user, not a stop hook, started what the agent does now."""
    if table.is_prompted_by_stops:
        return event.event in STOPS and request.payload.get("stop_hook_active") is False
    return event.event == "UserPromptSubmit"


def _let_end(decision: Decision, count: int | None) -> Decision:
    why = "it was sent back 8 times in a row" if count else "how often it was sent back cannot be counted"
    problem = Problem(
        message=f"the agent may end, because {why}",
        level="error",
        source="bridge",
        where=decision.event.event,
        hint="find out why the hook never allows the stop",
    )
    return decision.replace(
        verdict=Verdict.NO_OPINION,
        problems=(*decision.problems, problem),
        user_messages=(*decision.user_messages, f"{problem.message}: {decision.message}"),
    )


def _hints(runner: HookRunner, decision: Decision, table: ReplyTable, own_name: str) -> list[str]:
    """Take the hints of the tool call, once, where they can be attached to its result."""
    event = decision.event.event
    if event not in _AFTER_TOOL or not can_tell(table, "context", event, own_name):
        return []
    if not decision.hints and not runner.store.hints_may_be_pending():
        return []
    return [hint.text for hint in runner.state.take_hints_of(decision)]


def _failures(decision: Decision) -> tuple[Problem, ...]:
    """Return a Problem for each hook that failed without deciding: a failure is always shown."""
    return tuple(
        Problem(message=each.message, source=each.hook.title) for each in _failed(decision) if not each.problems
    )


def _with_failure_notices(runner: HookRunner, decision: Decision, table: ReplyTable, own_name: str) -> Decision:
    """Return *decision* with a message for the user about each hook that failed without deciding, once a
    session: no agent shows users what is on stderr."""
    failed = _failed(decision)
    if not failed or not can_tell(table, "user", decision.event.event, own_name):
        return decision
    texts = [
        harmless(f"hook {each.hook.title}: {each.message} (shown once a session)")
        for each in failed
        if runner.state.is_first_time(decision.event, f"failed-{each.hook.id}")
    ]
    return decision.replace(user_messages=(*decision.user_messages, *texts)) if texts else decision


def _with_unknown_tool_notice(runner: HookRunner, decision: Decision, table: ReplyTable, own_name: str) -> Decision:
    """Return *decision* with a message for the user, once a session, when no table knows the tool that is
    about to run: guards that name tools may miss it."""
    event = decision.event
    if event.event != "PreToolUse" or event.kinds or not can_tell(table, "user", event.event, own_name):
        return decision
    if not runner.state.is_first_time(event, f"unknown-{event.tool_name}"):
        return decision
    name = harmless(event.tool_name[:_MOST_OF_A_NAME])
    text = (
        f"hookrun does not know the tool {name}: guards are asked about it by the shape of its input. Say "
        f"in the configuration what it is, such as `tools: {{{name}: shell}}` (shown once a session)"
    )
    return decision.replace(user_messages=(*decision.user_messages, text))


def _failed(decision: Decision) -> Sequence[Answer]:
    if all(answer.status == constants.RAN for answer in decision.answers):
        return ()
    from hookrun.commands.emit import failures

    return failures(decision)


def _ask_fallback(decision: Decision, config: Config) -> str:
    """Return "allow" when ask_fallback allows every hook that asks, for agents that cannot ask, else "deny".
    It does not apply to an unapproved hook: there trust asks, not the hook."""
    if not config.ask_fallback:
        return "deny"
    asking = [each for each in decision.answers if each.verdict in (Verdict.ASK, Verdict.DEFER)]
    words = {"deny" if each.decided_by == constants.BY_TRUST else _fallback_of(each.hook, config) for each in asking}
    return "allow" if words == {"allow"} else "deny"


def _fallback_of(hook: Hook, config: Config) -> str:
    own = {hook.id, hook.plugin, hook.key, hook.title} - {ALL_HOOKS}
    words = [config.ask_fallback[name] for name in own if name in config.ask_fallback]
    if not words:
        return config.ask_fallback.get(ALL_HOOKS, "deny")
    return "deny" if "deny" in words else "allow"


def _is_at_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
