"""An agent's event in, its own form of the decision out: what a bridge does between stdin and stdout."""

from __future__ import annotations

import os
import time

from hookrun.agents import DIALECTS, dialect_named, protocol_of
from hookrun.agents.reply.encodings import STOPS
from hookrun.agents.reply.writing import can_tell, write_decision, write_failure, write_refusal
from hookrun.config.config import ALL_HOOKS, environment
from hookrun.config.paths import PROJECT_VARIABLES, harmless, home_folder, is_inside, project_told, started_project
from hookrun.events.own_fields import own_event_keys, own_fields
from hookrun.events.payload_fields import event_names, read_payload
from hookrun.model import constants
from hookrun.model.errors import HookrunError, UsageError
from hookrun.model.events import folded
from hookrun.model.frozen import Frozen
from hookrun.model.values import Problem, Verdict
from hookrun.runner import HookRunner, Wishes, event_type

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
_NAMES_THE_EVENT = ("event", "hookeventname", "hookevent", "hookname", "agentactionname", "type")
_MOST_OF_A_NAME = 100  # characters of a tool's name in a message
_AFTER_TOOL = ("PostToolUse", "PostToolUseFailure")


class Told(Frozen):
    """What an agent has told: the event, what the agent calls it, the whole payload, and where it was."""

    event: EventType
    own_name: str
    payload: dict[str, Any]
    session_id: str
    cwd: str
    project: str


class Wanted(Frozen):
    """What the command line adds: the project's root, further hooks, other agents whose settings count."""

    project: str = ""
    hooks: tuple[str, ...] = ()
    with_agents: tuple[str, ...] = ()


def agent_named(name: str) -> ReplyTable:
    """Return what the agent *name* can be told. Raises UsageError for an unknown agent."""
    if dialect_named(name) is None:
        from hookrun.model.nearest import did_you_mean

        hint = did_you_mean(name, [dialect.name for dialect in DIALECTS])
        raise UsageError(f"unknown agent {name!r}", hint=hint)
    return protocol_of(name).replies


def read_told(agent: str, data: bytes, event_name: str = "") -> Told:
    """Return what the document *data* tells; *event_name* is its event where the agent leaves that out.

    Raises HookrunError for what is no object, names no event, or is about a tool and names none.
    """
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
    return Told(
        event=event,
        own_name=own_names[0],
        payload=payload,
        session_id=place.get("session_id", ""),
        cwd=place.get("cwd", ""),
        project=_project(agent, own_names[0], payload, values.get("project_dir")),
    )


def answer(
    table: ReplyTable,
    told: Told,
    wanted: Wanted,
    *,
    began: float,
    limit: Callable[[float], None] = lambda _seconds: None,
) -> Reply:
    """Fire the event and return the decision in the agent's own form, with what there is to say on stderr.

    *began* is when the agent began to wait (time.monotonic()): it would let the tool run when its own
    timeout has passed. *limit* is called before the hooks run, with the seconds from *began* after which
    they have ended at the latest. Raises what HookRunner raises.
    """
    if not _may_be_a_folder(told.cwd):
        raise HookrunError(f"not a valid folder: {told.cwd[:100]!r}", where="cwd", hint="an agent says where it works")
    environ = _environment_of(table.name)
    with HookRunner.discover(
        told.cwd or None,
        project=wanted.project,
        told_by_agent=told.project,
        started_in=_started_in(),
        session_id=told.session_id,
        hooks=wanted.hooks,
        trust="",
        env=environ,
        is_isolated=True,
        asking=table.name,
        with_agents=wanted.with_agents,
    ) as runner:
        event, problems = runner.event(told.own_name, dialect=table.name, payload=told.payload)
        left = table.seconds_for_hooks(event.event) - (time.monotonic() - began)
        wishes = Wishes(at_most=max(left, 0.1), on_untrusted=runner.config.on_untrusted or "ask")
        limit(time.monotonic() - began + runner.longest(wishes))
        decision = runner.fire(event, wishes, problems)
        decision = with_trust_told(_within_stops(runner, decision, table, told), _waiting_hooks(runner, event))
        decision = _with_failures_told(runner, decision, table, told.own_name)
        decision = _with_unknown_tool_told(runner, decision, table, told.own_name)
        reply = write_decision(
            table,
            decision,
            told.own_name,
            hints=_hints(runner, decision, table, told.own_name),
            has_terminal=decision.verdict in (Verdict.ASK, Verdict.DEFER) and _is_at_terminal(),
            ask_fallback=_ask_fallback(decision, runner.config),
        )
        problems = (*reply.problems, *decision.problems, *_failures(decision))
        return reply.replace(problems=tuple(map(_for_agents, problems)))


def failure(table: ReplyTable, told: Told | None, text: str) -> Reply:
    """Return the answer when hookrun itself has failed, with the reason *text*: what is guarded, or cannot
    be told, is denied."""
    if told is None:
        return write_refusal(table, text)
    return write_failure(table, told.event.name, told.own_name, text)


def without_trust_commands(hint: str) -> str:
    """Return *hint*, or what an agent is to do where it says how to trust: that is a person's."""
    says_how = any(word in hint for word in ("hookrun trust", "hookrun untrust", constants.ENV_TRUST))
    return _ASK_THE_USER if says_how else hint


def _for_agents(problem: Problem) -> Problem:
    return problem.replace(hint=without_trust_commands(problem.hint))


def with_trust_told(decision: Decision, untrusted: Sequence[Hook]) -> Decision:
    """Return *decision* with what is to be said about hooks that nobody has approved: of all *untrusted* to
    the user when a session begins, and of its own with a decision that is theirs. A model may read it: it
    does not name the command that approves them, which only a person can use anyway."""
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
    """Return the hooks that nobody has approved as they are now; all are looked at when a session begins."""
    if event.event != "SessionStart":
        return ()
    return [hook for hook in runner.loaded.registry.asked if runner.standing(hook).status != constants.TRUSTED]


def _own_payload(agent: str, given: dict[str, Any], event_name: str) -> dict[str, Any]:
    """Return *given* with the agent's own fields alone where it has them. Where the agent leaves
    out the event, the one of the command line counts, whatever the payload says."""
    dialect = dialect_named(agent)
    payload = own_fields(given, dialect) if dialect else given
    is_named = dialect is not None and not dialect.leaves_out_event and own_event_keys(dialect, given)
    if not event_name or is_named:
        return payload
    return {key: value for key, value in payload.items() if folded(key) not in _NAMES_THE_EVENT}


def _object(data: bytes) -> tuple[dict[str, Any], list[str]]:
    """Return the object that *data* is, and the keys that it or one inside it has twice."""
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
    """Return the project that the agent tells, "" for none: of several roots the one that the bridge was
    started in, else the *first* that is there.

    Where an event implies its tool, its working directory is that of the command. A model chooses it, and
    with it would choose its guards: there the project is the one that the bridge was started in.
    """
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
    """Return the project that *folder* is in; "" for none, for the home, and where a variable tells it."""
    environ = _environment_of(agent)
    return "" if project_told(environ) else started_project(folder, home_folder(environ))


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
    except OSError:  # it is gone
        return ""


def _event_names(payload: dict[str, Any], event_name: str) -> list[str]:
    try:
        return event_names(payload)
    except UsageError as error:
        if event_name:
            return [event_name]
        raise HookrunError(error.message, where="stdin", hint="or say it: --event NAME") from None


def _within_stops(runner: HookRunner, decision: Decision, table: ReplyTable, told: Told) -> Decision:
    """Return *decision*; an agent that was sent back 8 times in a row may end: nothing loops for ever."""
    event = decision.event
    is_stop = event.event in STOPS
    if _begins_anew(event, table, told):
        runner.forget_stops(event)
    is_sent_back = is_stop and decision.verdict == Verdict.DENY and not decision.halt
    if is_sent_back and can_tell(table, "deny", event.event, told.own_name):
        count = runner.count_stop(event)
        if count is not None and count <= MOST_STOPS:
            return decision
        decision = _let_end(decision, count)
    if is_stop:
        runner.forget_stops(event)
    return decision


def _begins_anew(event: Event, table: ReplyTable, told: Told) -> bool:
    """Say whether the agent was not sent to what it does now, but by its user."""
    if table.is_prompted_by_stops:
        return event.event in STOPS and told.payload.get("stop_hook_active") is False
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
    if not decision.hints and not runner.hints_may_be_pending():
        return []
    return [hint.text for hint in runner.take_hints_of(decision)]


def _failures(decision: Decision) -> tuple[Problem, ...]:
    """Return a Problem for each hook that failed without deciding: a failure is always shown."""
    return tuple(Problem(message=each.message, source=each.hook.title) for each in _failed(decision))


def _with_failures_told(runner: HookRunner, decision: Decision, table: ReplyTable, own_name: str) -> Decision:
    """Return *decision* with what the user is to hear of hooks that failed without deciding, of each once a
    session: no agent shows them what is on stderr."""
    failed = _failed(decision)
    if not failed or not can_tell(table, "user", decision.event.event, own_name):
        return decision
    texts = [
        harmless(f"hook {each.hook.title}: {each.message} (shown once a session)")
        for each in failed
        if runner.is_first_failure(decision.event, each.hook)
    ]
    return decision.replace(user_messages=(*decision.user_messages, *texts)) if texts else decision


def _with_unknown_tool_told(runner: HookRunner, decision: Decision, table: ReplyTable, own_name: str) -> Decision:
    """Return *decision* with what the user is to hear of a tool that is about to run and that no table knows,
    once a session: guards that name tools may miss it."""
    event = decision.event
    if event.event != "PreToolUse" or event.kinds or not can_tell(table, "user", event.event, own_name):
        return decision
    if not runner.is_first_time(event, f"unknown-{event.tool_name}"):
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
    """Return "allow" when every hook that asks may be passed over where the agent cannot ask, else "deny".
    One that nobody has approved has not asked: trust has."""
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
