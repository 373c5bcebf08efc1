"""What handlers get when nobody is there, and how async handlers reach a UI."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import TYPE_CHECKING, Any

import pytest
from waiting import eventually

from hookrun.model.constants import STYLES
from hookrun.modules.contexts import AsyncHookContext, Context, HookContext, Surroundings
from hookrun.modules.ui.asking import in_thread, is_withdrawn
from hookrun.modules.ui.interface import HEADLESS, AsyncInterface, UserInterface

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

QUESTIONS = [
    ("select", ("title", ["a", "b"]), None, "b"),
    ("confirm", ("title", "message"), False, True),
    ("confirm", ("title",), False, True),
    ("input", ("title", "placeholder"), None, "placeholder!"),
    ("input", ("title",), None, "!"),
    ("editor", ("title", "prefill"), None, "prefill!"),
    ("editor", ("title",), None, "!"),
    ("custom", (lambda _ui: "made",), None, "made"),
]
REMARKS = [
    ("notify", ("message", "warning")),
    ("notify", ("message",)),
    ("set_status", ("key", "text")),
    ("set_status", ("key", None)),
    ("set_editor_text", ("text",)),
]


class Person(UserInterface):
    """Chooses the last option, says yes, adds a ! to texts, and remembers who asked in which thread."""

    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []
        self.threads: list[threading.Thread] = []

    def select(self, title: str, options: Sequence[str]) -> str | None:
        self.threads.append(threading.current_thread())
        return options[-1]

    def confirm(self, title: str, message: str = "") -> bool:
        self.threads.append(threading.current_thread())
        return True

    def input(self, title: str, placeholder: str = "") -> str | None:
        self.threads.append(threading.current_thread())
        return placeholder + "!"

    def editor(self, title: str, prefill: str = "") -> str | None:
        self.threads.append(threading.current_thread())
        return prefill + "!"

    def custom(self, factory: Callable[[UserInterface], Any]) -> Any:
        self.threads.append(threading.current_thread())
        return factory(self)

    def notify(self, message: str, level: str = "info") -> None:
        self.heard.append(("notify", message, level))

    def set_status(self, key: str, text: str | None) -> None:
        self.heard.append(("set_status", key, text))

    def set_editor_text(self, text: str) -> None:
        self.heard.append(("set_editor_text", text))

    def get_editor_text(self) -> str:
        return "written"


@pytest.mark.parametrize(("member", "args", "nobody", "_person"), QUESTIONS)
def test_a_question_to_nobody_has_no_answer(member: str, args: tuple[Any, ...], nobody: Any, _person: Any):
    assert getattr(HEADLESS, member)(*args) is nobody


def test_without_a_ui_nothing_is_made_shown_or_kept():
    assert HEADLESS.custom(lambda _ui: pytest.fail("a factory was called")) is None
    for member, args in REMARKS:
        assert getattr(HEADLESS, member)(*args) is None
    assert HEADLESS.get_editor_text() == ""
    assert HEADLESS.seconds_waited == 0


@pytest.mark.parametrize("theme", [HEADLESS.theme, AsyncInterface(HEADLESS).theme, Person().theme])
def test_a_theme_without_colours_has_all_styles_and_changes_nothing(theme: Any):
    assert set(theme) == set(STYLES)
    assert [theme[style]("text") for style in STYLES] == ["text"] * len(STYLES)
    with pytest.raises(TypeError):
        theme["ok"] = str.upper


def test_an_agent_may_leave_members_out():
    class Silent(UserInterface):
        def confirm(self, title: str, message: str = "") -> bool:
            return True

    silent = Silent()
    assert silent.is_interactive
    assert silent.confirm("Sure?") is True
    assert silent.input("Name") is None
    assert silent.get_editor_text() == ""


@pytest.mark.parametrize(("member", "args", "nobody", "person"), QUESTIONS)
def test_an_async_handler_awaits_its_questions(member: str, args: tuple[Any, ...], nobody: Any, person: Any):
    async def ask(interface: UserInterface) -> Any:
        return await getattr(AsyncInterface(interface), member)(*args)

    asked = Person()
    assert asyncio.run(ask(HEADLESS)) is nobody
    assert asyncio.run(ask(asked)) == person
    assert asked.threads != [threading.current_thread()]


@pytest.mark.parametrize(("member", "args"), REMARKS)
def test_an_async_handler_does_not_await_what_it_shows(member: str, args: tuple[Any, ...]):
    person, twin = Person(), Person()
    assert getattr(AsyncInterface(person), member)(*args) is None
    getattr(twin, member)(*args)
    assert person.heard == twin.heard != []
    assert AsyncInterface(person).get_editor_text() == "written"


def test_questions_of_async_handlers_do_not_hold_up_one_another():
    together = threading.Barrier(2, timeout=30)

    class Slow(UserInterface):
        def confirm(self, title: str, message: str = "") -> bool:
            together.wait()  # passes only when both are asked
            return True

    async def ask_both() -> list[bool]:
        ui = AsyncInterface(Slow())
        return await asyncio.gather(ui.confirm("First?"), ui.confirm("Second?"))

    assert asyncio.run(ask_both()) == [True, True]


def test_a_question_is_withdrawn_when_its_task_is_cancelled():
    asked = threading.Event()
    ended = threading.Event()

    class Patient(UserInterface):
        def confirm(self, title: str, message: str = "") -> bool:
            assert not is_withdrawn()
            asked.set()
            eventually(is_withdrawn)
            ended.set()
            return True

    async def cancel() -> None:
        task = asyncio.create_task(AsyncInterface(Patient()).confirm("Sure?"))
        await asyncio.to_thread(asked.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert ended.is_set()
    assert not is_withdrawn()


def test_what_runs_in_a_thread_sees_context_variables_and_its_exception_comes_back():
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")

    def fail() -> None:
        raise ValueError(variable.get())

    async def main() -> None:
        variable.set("from the task")
        with pytest.raises(ValueError, match="from the task"):
            await in_thread(fail)

    asyncio.run(main())


@pytest.mark.parametrize("kind", [HookContext, AsyncHookContext])
def test_a_context_tells_whether_a_person_is_there(kind: type[Context]):
    assert kind(Surroundings(cwd="/", open_ui=Person)).has_ui is True
    assert kind(Surroundings(cwd="/", open_ui=lambda: HEADLESS)).has_ui is False
    assert kind(Surroundings(cwd="/", open_ui=lambda: None)).has_ui is False
    assert kind(Surroundings(cwd="/")).has_ui is False


def test_sync_and_async_handlers_reach_the_same_person_each_in_its_way():
    person = Person()
    surroundings = Surroundings(cwd="/", open_ui=lambda: person)
    assert HookContext(surroundings).ui is person
    assert HookContext(surroundings).ui.confirm("Sure?") is True
    assert asyncio.run(AsyncHookContext(surroundings).ui.confirm("Sure?")) is True
    assert len(person.threads) == 2


def test_the_ui_is_opened_when_it_is_first_asked_for_and_once():
    opened: list[Person] = []

    def open_ui() -> Person:
        opened.append(Person())
        return opened[-1]

    surroundings = Surroundings(cwd="/", open_ui=open_ui)
    contexts = [HookContext(surroundings), AsyncHookContext(surroundings), HookContext(surroundings)]
    assert opened == []
    threads = [threading.Thread(target=lambda each=each: each.ui) for each in contexts * 5]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 1
