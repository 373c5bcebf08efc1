"""`hookrun trust` and `hookrun untrust` as a person meets them, at a terminal and without one."""

from __future__ import annotations

import os
import pwd

import pytest
from firing import BASH_GUARD, DENIED_BY_GUARD, DENY, NO, PASS, before_shell, ruling
from trusted import ALLOWED_BY_SILENCE, DENIED_BY_TRUST, Typing, git, records, repository, trust, units

pytestmark = pytest.mark.usefixtures("untrusting")

AGENTS = {
    "CLAUDECODE": "1",
    "CODEX_SANDBOX": "seatbelt",
    "GEMINI_CLI": "1",
    "XBOT_SESSION_ID": "s",
    "HOOKRUN_DEPTH": "1",
    "HOOKRUN_RUN": "x",
    "CODEX_SANDBOX_NETWORK_DISABLED": "1",
}
QUESTION = "[y/N] "


@pytest.fixture
def guard(project):
    return project.script(BASH_GUARD, DENY)


@pytest.mark.parametrize("variable", AGENTS)
@pytest.mark.parametrize("words", [("trust", "--yes"), ("trust", BASH_GUARD, "--yes")])
def test_an_agent_cannot_trust(words, variable, cli, project, guard):
    done = cli(*words, env={variable: AGENTS[variable]})
    assert done.code == 1
    assert variable in done.stderr
    assert pwd.getpwuid(os.getuid()).pw_name in done.stderr
    assert "hookrun trust" not in done.stderr
    assert records(project) == []
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize("variable", AGENTS)
@pytest.mark.parametrize("words", [("untrust", "--yes"), ("untrust", BASH_GUARD)])
def test_an_agent_cannot_take_trust_away(words, variable, cli, project, guard):
    trust(cli)
    before = records(project)[0].read_bytes()
    done = cli(*words, env={variable: AGENTS[variable]})
    assert done.code == 1
    assert pwd.getpwuid(os.getuid()).pw_name in done.stderr
    assert records(project)[0].read_bytes() == before
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


@pytest.mark.parametrize("variable", ["CODEX_HOME", "CODEX_API_KEY", "CLAUDE_CONFIG_DIR", "GEMINI_API_KEY"])
def test_what_people_set_for_their_agents_makes_no_agent_of_them(variable, cli, guard):
    trust(cli, env={variable: "/home/u/x"})
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_an_agent_may_look_at_what_is_trusted(cli, guard):
    trust(cli)
    assert BASH_GUARD in cli("trust", "--list", env={"CLAUDECODE": "1"}).stdout


@pytest.mark.parametrize("words", [("trust",), ("untrust",)])
def test_without_a_terminal_it_shows_and_asks_for_yes(words, cli, project, guard):
    if words == ("untrust",):
        trust(cli)
    done = cli(*words, input="y\n")
    assert done.code == 64
    assert "--yes" in done.stderr
    assert bool(records(project)) is (words == ("untrust",))


@pytest.mark.parametrize("answer", ["y", "yes", "Y", " YES "])
def test_a_person_who_says_yes_trusts(answer, cli, project, guard, untrusting):
    with Typing(project, untrusting, "trust") as person:
        person.wait_for(QUESTION)
        assert BASH_GUARD in person.shown
        assert "PreToolUse" in person.shown
        assert person.type(f"{answer}\n") == 0
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


@pytest.mark.parametrize("answer", ["n\n", "\n", "yep\n", "\x04"])
def test_a_person_who_says_anything_else_does_not(answer, cli, project, guard, untrusting):
    with Typing(project, untrusting, "trust") as person:
        person.wait_for(QUESTION)
        assert person.type(answer) == 1
    assert records(project) == []
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1)])
def test_untrust_of_everything_asks(answer, code, cli, project, guard, untrusting):
    trust(cli)
    with Typing(project, untrusting, "untrust") as person:
        person.wait_for(QUESTION)
        assert person.type(answer) == code
    assert ruling(before_shell(cli)) == (ALLOWED_BY_SILENCE if code == 0 else DENIED_BY_GUARD)


def test_what_was_shown_is_trusted_and_not_what_came_since(cli, project, guard, untrusting):
    with Typing(project, untrusting, "trust", "--show") as person:
        person.wait_for(QUESTION)
        assert "exit 2" in person.shown
        guard.write_text(PASS)
        assert person.type("y\n") == 0
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    guard.write_text(DENY)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_what_came_while_a_person_read_is_not_trusted(cli, project, guard, untrusting):
    with Typing(project, untrusting, "trust") as person:
        person.wait_for(QUESTION)
        project.script(".claude/hooks/pre/write.sh", DENY)
        person.type("y\n")
    assert list(units(project)) == [BASH_GUARD]


def test_show_prints_every_text(cli, project, guard):
    project.manifest("demo", script="echo in the plugin\n", hooks=[{"event": "PreToolUse"}])
    shown = cli("trust", "--show").stdout
    assert "echo in the plugin" in shown
    assert "    exit 2" in shown
    assert "exit 2" not in cli("trust").stdout


def test_a_change_is_shown_as_the_difference_to_what_was_trusted(cli, guard):
    trust(cli)
    guard.write_text(DENY.replace("exit 2", "exit 0"))
    shown = cli("trust").stdout
    assert f"{BASH_GUARD}  changed" in shown
    assert "  -exit 2" in shown
    assert "  +exit 0" in shown
    assert "#!/bin/sh" not in shown.replace("   #!/bin/sh", "")


def test_a_change_of_a_neighbour_is_shown(cli, project, guard):
    guard.write_text('#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')
    library = project.script(".claude/hooks/pre/lib.sh", "one=1\n", mode=0o644)
    trust(cli, BASH_GUARD)
    library.write_text("one=2\n")
    shown = cli("trust", BASH_GUARD).stdout
    assert "-one=1" in shown
    assert "+one=2" in shown


def test_nothing_new_is_said_and_is_no_failure(cli, guard):
    trust(cli)
    done = cli("trust")
    assert (done.code, done.stdout) == (0, "nothing new: 1 of 1 are trusted\n")


def test_a_project_without_hooks_has_nothing_to_trust(cli, project):
    done = cli("trust")
    assert (done.code, done.stdout) == (0, f"{project.path} has no hooks of its own\n")


def test_paths_choose_what_is_trusted(cli, project, guard):
    project.script(".claude/hooks/post/bash.sh", PASS)
    project.manifest("demo", script=PASS, hooks=[{"event": "PreToolUse"}])
    trust(cli, BASH_GUARD)
    assert list(units(project)) == [BASH_GUARD]
    trust(cli, "demo")
    trust(cli, "./.claude/hooks/post")
    assert len(units(project)) == 3


@pytest.mark.parametrize("words", [("trust", "--yes"), ("untrust",)])
def test_an_unknown_path_is_a_usage_error_that_offers_the_nearest(words, cli, project, guard):
    trust(cli)
    before = records(project)[0].read_bytes()
    done = cli(*words, ".claude/hooks/pre/bush.sh")
    assert done.code == 64
    assert f"did you mean {BASH_GUARD}?" in done.stderr
    assert records(project)[0].read_bytes() == before


def test_untrust_of_a_path_leaves_the_others(cli, project, guard):
    other = project.script(".claude/hooks/pre/write.sh", DENY)
    trust(cli)
    assert cli("untrust", str(other)).stdout == "no longer trusted: .claude/hooks/pre/write.sh\n"
    assert list(units(project)) == [BASH_GUARD]
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_list_says_how_what_is_trusted_stands(cli, project, guard):
    gone = project.script(".claude/hooks/pre/write.sh", DENY)
    edited = project.script(".claude/hooks/pre/read.sh", DENY)
    assert cli("trust", "--list").stdout == "nothing of this project is trusted\n"
    trust(cli)
    gone.unlink()
    edited.write_text(PASS)
    found = cli("trust", "--list", "--format", "json").document
    states = {each["name"].rpartition("/")[2]: each["state"] for each in found}
    assert states == {"bash.sh": "trusted", "write.sh": "gone", "read.sh": "changed"}
    assert {each["texts"] for each in found} == {1}
    lines = cli("trust", "--list").stdout.splitlines()
    assert len(lines) == 3
    assert "1 text" in lines[0]


def test_json_shows_and_trusts_with_yes_alone(cli, project, guard):
    assert cli("trust", "--format", "json").code == 64
    done = cli("trust", "--yes", "--format", "json")
    (document,) = done.document
    assert (document["name"], document["state"], document["flaw"]) == (BASH_GUARD, "trusted", "")
    assert list(document["files"]) == [BASH_GUARD]
    (hook,) = document["hooks"]
    assert (hook["role"], hook["events"][0][0]) == ("guard", "PreToolUse")
    assert cli("untrust", BASH_GUARD, "--format", "json").document == {"forgotten": [BASH_GUARD]}


ESCAPE = "\x1b[2J\x1b]0;x\x07"


def test_control_characters_are_shown_harmless(cli, project, untrusting):
    name = f"bash\n.claude{ESCAPE}\u202e.sh".replace("/", "")
    project.script(f".claude/hooks/pre/{name}", f"#!/bin/sh\n# {ESCAPE}\rexit 2\n")
    done = cli("trust", "--show")
    assert "\x1b" not in done.stdout + done.stderr
    assert "\r" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "\n.claude" not in done.stdout.replace("\n.claude/hooks/pre", "")
    assert "\\x1b" in done.stdout
    trust(cli)
    for words in (("trust", "--list"), ("trust",), ("untrust", "--yes"), ("trust", f"x{ESCAPE}")):
        done = cli(*words)
        assert "\x1b" not in done.stdout + done.stderr


def test_names_that_are_no_utf_8_can_be_trusted(cli, project):
    folder = project.path / ".claude/hooks/pre"
    folder.mkdir(parents=True)
    path = os.fsencode(folder) + b"/_all-\xff.sh"
    with open(path, "w") as file:
        file.write("#!/bin/sh\n# hookrun: tool=*\nexit 2\n")
    os.chmod(path, 0o755)
    trust(cli)
    assert before_shell(cli).code == 2
    assert cli("trust", "--list").code == 0
    assert cli("untrust", "--yes").code == 0
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_keys_in_commands_are_masked(cli, project):
    path = project.manifest("demo", script=PASS, hooks=[{"event": "PreToolUse"}])
    path.write_text(path.read_text().replace("sh hook.sh", "sh hook.sh --token hunter2 API_KEY=hunter3"))
    for words in (("trust",), ("trust", "--yes", "--format", "json"), ("trust", "--list")):
        done = cli(*words)
        assert "hunter" not in done.stdout + done.stderr
    assert "--token" in cli("trust", "--yes", "--format", "json").stdout


def test_what_cannot_be_read_whole_is_not_trusted(cli, project, guard):
    guard.write_text("#!/bin/sh\n# hookrun: files=missing.sh\nexit 2\n")
    done = cli("trust", "--yes")
    assert done.code == 1
    assert "cannot be trusted" in done.stdout
    assert "missing.sh is not there" in done.stdout
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE


def test_files_in_other_places_are_told_by_their_whole_path(cli, project, tmp_path):
    outside = tmp_path / "outside.sh"
    outside.write_text(DENY)
    outside.chmod(0o755)
    project.script(".hookrun/config.yaml", f"hooks: [{outside}]\n")
    assert str(outside) in cli("trust").stdout
    trust(cli)
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD
    outside.write_text(PASS)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST


def test_trust_never_writes_into_the_project(cli, project, guard):
    folder = repository(project)
    trust(cli)
    assert git(folder, "status", "--porcelain", "--ignored") == ""
    assert not (folder / ".git/hookrun").exists()


def texts_of(count: int) -> str:
    return "".join(["#!/bin/sh\n", *(f"# line {number}\n" for number in range(count)), "exit 2\n"])


def test_a_person_sees_a_short_text_before_the_question(cli, project, guard, untrusting):
    with Typing(project, untrusting, "trust") as person:
        person.wait_for(QUESTION)
        assert f'    echo "{NO}" >&2' in person.shown
        assert person.type("y\n") == 0
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_a_person_sees_a_long_text_on_demand(cli, project, untrusting):
    project.script(BASH_GUARD, texts_of(80))
    with Typing(project, untrusting, "trust") as person:
        person.wait_for("[y/N/show] ")
        assert "line 79" not in person.shown
        person.press("show\n")
        person.wait_for("# line 79")
        person.wait_for("[y/N/show] ")
        assert person.type("y\n") == 0
    assert ruling(before_shell(cli)) == DENIED_BY_GUARD


def test_what_is_shown_on_demand_is_what_is_trusted(cli, project, untrusting):
    path = project.script(BASH_GUARD, texts_of(80))
    with Typing(project, untrusting, "trust") as person:
        person.wait_for("[y/N/show] ")
        path.write_text(texts_of(90))
        person.press("s\n")
        person.wait_for("# line 79")
        assert person.type("y\n") == 0
    assert "line 89" not in person.shown
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    path.write_text(texts_of(80))
    assert before_shell(cli).code == 2


def test_a_person_answers_for_each_hook(cli, project, guard, untrusting):
    for name in ("edit", "write"):
        project.script(f".claude/hooks/pre/{name}.sh", DENY)
    with Typing(project, untrusting, "trust") as person:
        for answer in ("y\n", "n\n"):
            person.wait_for(QUESTION)
            person.press(answer)
        person.wait_for(QUESTION)
        assert person.type("y\n") == 1
    assert "trusted 2 of 3" in person.shown
    assert len(units(project)) == 2
    assert ".claude/hooks/pre/edit.sh" not in units(project)


def test_a_person_who_leaves_trusts_what_was_agreed_to(cli, project, guard, untrusting):
    project.script(".claude/hooks/pre/write.sh", DENY)
    with Typing(project, untrusting, "trust") as person:
        person.wait_for(QUESTION)
        person.press("y\n")
        person.wait_for(QUESTION)
        assert person.type("\x04") == 1
    assert list(units(project)) == [BASH_GUARD]


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1)])
def test_what_is_gone_is_forgotten_when_a_person_says_so(answer, code, cli, project, guard, untrusting):
    trust(cli)
    guard.unlink()
    with Typing(project, untrusting, "trust") as person:
        person.wait_for("Forget this? [y/N] ")
        assert f"{BASH_GUARD}  gone\n  guard  PreToolUse bash" in person.shown
        assert person.type(answer) == code
    assert ruling(before_shell(cli)) == (ALLOWED_BY_SILENCE if code == 0 else DENIED_BY_TRUST)


def test_what_is_gone_is_forgotten_with_yes_and_said(cli, project, guard):
    other = project.script(".claude/hooks/pre/write.sh", DENY)
    trust(cli)
    guard.unlink()
    done = cli("trust")
    assert (done.code, "add --yes" in done.stderr) == (64, True)
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    done = trust(cli)
    assert f"{BASH_GUARD}  gone" in done.stdout
    assert "forgot 1 that is gone" in done.stdout
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
    other.unlink()
    (document,) = trust(cli, "--format", "json").document
    assert (document["name"], document["state"]) == (".claude/hooks/pre/write.sh", "forgotten")
    assert units(project) == {}


def test_paths_choose_what_is_forgotten(cli, project, guard):
    other = project.script(".claude/hooks/pre/write.sh", DENY)
    trust(cli)
    guard.unlink()
    other.unlink()
    trust(cli, str(other))
    assert list(units(project)) == [BASH_GUARD]


def test_a_definition_that_has_no_hooks_any_more_can_be_settled(cli, project):
    path = project.manifest("demo", script=DENY, hooks=[{"event": "PreToolUse", "matcher": "Shell"}])
    trust(cli)
    text = path.read_text()
    path.write_text(text.replace(text[text.index('"contributes"') :], '"contributes": {}}'))
    assert ruling(before_shell(cli)) == DENIED_BY_TRUST
    assert "forgot 1 that is gone" in trust(cli).stdout
    assert ruling(before_shell(cli)) == ALLOWED_BY_SILENCE
