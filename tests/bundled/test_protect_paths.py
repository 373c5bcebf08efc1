"""protect-paths: no writes to secrets, keys, git's files, lock files and hooks, by tools or by the shell."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from sweeps import sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from conftest import Project

    Load = Callable[[str], ModuleType]

PROTECTED = """
.env .env.local .ENV sub/.env sub/../.env ./.env .envrc .git/config .git/hooks/pre-commit sub/.git/config
key.pem a/b.KEY cert.p12 id_rsa id_rsa.pub id_ed25519 .ssh/config ~/.ssh/authorized_keys package-lock.json
Package-Lock.json sub/yarn.lock pnpm-lock.yaml poetry.lock uv.lock Cargo.lock Gemfile.lock composer.lock
go.sum .hookrun/hooks/pre/bash.sh .hookrun/config.yaml .claude/hooks/guard.sh .claude/settings.json
.claude/settings.local.json .xcsh/hooks/pre/bash.sh .xbot/hooks.json .xbot/hooks.local.json
.xbot/plugins/a/plugin.json .codex/hooks.json .codex/config.toml .gemini/settings.json .cursor/hooks.json
.github/hooks/a.json .windsurf/hooks.json .clinerules/hooks/PreToolUse ~/.config/hookrun/config.yaml
~/.local/state/hookrun/trust.db
""".split()

OPEN = """
.env.example .env.sample .env.template env.py environment.ts .gitignore .gitattributes
.github/workflows/ci.yml keys.py key.py pem.md package.json Cargo.toml go.mod locks/lock.py
.claude/CLAUDE.md .claude/commands/a.md
.codex/prompts/a.md .gemini/commands/a.toml hookrun/hooks.py hooks/pre.py README.md
""".split()

WRITING = r"""
echo a > .env
echo a >> .env
echo a >| .env
: > .env
cmd &> .env
echo x >& .env
echo x >&.env
cmd 2> .env
cat <<< a > sub/../.env
echo a > "$PWD/.env"
echo a > link-to-env
rm .env
rm -f .env
rm .e*
rm *.lock
rm -rf .git
rm -rf .claude
rm -rf .claude/
rm -rf .hookrun
rm -rf .github
unlink .env
mv .env x
mv x .env
mv .claude x
cp .env.example .env
cp outside/.env .
cp -t . outside/.env
install -m 600 x .env
tee .env
echo x | tee -a .env
sed -i s/a/b/ .env
sed -i.bak -e s/a/b/ .env
sed -Ei 's/a/b/' .env
perl -pi -e 's/a/b/' .env
truncate -s 0 .env
touch .env
chmod 644 .env
ln -sf /x .env
ln .env x
mkdir -p .git/hooks
dd if=x of=.env
git checkout -- .env
git checkout HEAD~1 .env
git restore package-lock.json
git rm .env
git mv .env x
curl -o .env https://x
curl https://x --output=.env
wget -O .env https://x
openssl genrsa -out server.key 2048
find . -name .env -delete
find . -name '.env*' -exec rm {} +
find .git -type f -exec rm {} +
echo .env | xargs rm
cd sub && rm ../.env
cd .claude && rm hooks/guard.sh
(cd .claude/hooks; echo x > guard.sh)
bash -c 'rm .env'
sudo rm .env
echo $(rm .env)
rm ~/.ssh/known_hosts
rm -rf .cl*
rm -rf .[c]laude
chmod -R 000 .claude
chown x .env
cp -r x/.claude .
cp -r x/. .claude
cp a .claud*/hooks/guard.sh
rsync -a x/ .claude/
rsync x/.env .
curl -so .env x
curl -sLo.env x
wget -qO .env x
find . -name .env | xargs rm
find .git -type f | xargs rm -f
find . -name .env -exec sed -i s/a/b/ {} +
git config core.hooksPath x
git config --global Core.HooksPath /x
git config --unset core.hooksPath
tar xf x -C .claude
tar -xzf x --directory=.git
unzip x -d .claude
unzip x -d.claude
patch .env x.diff
awk -i inplace '{print}' .env
gawk -iinplace 1 .env
""".strip().split("\n")

READING = r"""
cat .env
cat .env.example
source .env
grep KEY .env
cp .env x
cp .env /nowhere/x
echo .env >> .gitignore
echo "rm .env"
git diff package-lock.json
git add package-lock.json
git log -- .env
git rm --cached .env
git restore --staged .env
git checkout main
git commit -m "touch .env"
npm install
cargo build
uv lock
ls -la .git
find . -name .env
find . -name '*.pyc' -delete
sed -n 1p .env
sed s/a/b/ .env > x
sort -o x .env
rm build/x
rm *.o
rm -rf build
mkdir -p .github/workflows
chmod +x script.sh
cp .env.example .env.sample
curl -o x https://x/.env
ls > /dev/null 2>&1
diff .env .env.example 2>&1
tar czf x.tgz .claude
dd if=.env of=x
rm -rf .cache*
cp -r x/.claude/commands .claude
cp a.md .claude/
rsync -a .claude/ x/
curl -sS https://x/.env
wget -qO- https://x/.env
find . -name .env | xargs cat
find . -name '*.py' -exec sed -i s/a/b/ {} +
git config core.hooksPath
git config --get core.hooksPath
tar xf x -C build
tar cf x.tar -C .claude hooks
unzip x -d build
awk '{print}' .env
patch -p1 a.py
[[ x > .env ]]
""".strip().split("\n")

DOCUMENTS = [
    "cat > .env <<EOF\na\nEOF",
    "tee .claude/settings.json <<'EOF'\n{}\nEOF",
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: .env\n@@\n-a\n+b\n*** End Patch\nEOF",
]


@pytest.fixture
def prepared(project: Project) -> Project:
    """A project with what the commands of the tables name."""
    for name in (".env", "Cargo.lock", "sub/a", "outside/.env", ".claude/hooks/guard.sh", ".github/hooks/a.json"):
        project.write(name, "x")
    os.symlink(".env", project.path("link-to-env"))
    os.symlink(".claude", project.path("link-to-claude"))
    return project


def decision(load: Load, project: Project, payload: dict[str, object], **environ: str) -> str | None:
    call = load("tool_call").Call(payload)
    verdict = load("protect-paths").judged(call, {"HOME": project.home, **environ})
    return verdict[0] if verdict else None


def write_to(project: Project, path: str, key: str = "path") -> dict[str, object]:
    return project.payload("write", {key: path.replace("~", project.home, 1), "content": "x"})


@sweep("path", [*PROTECTED, "link-to-env", "link-to-claude/hooks/a", "link-to-claude/settings.json"])
def test_a_protected_file_is_not_written(load: Load, prepared: Project, path: str) -> None:
    assert decision(load, prepared, write_to(prepared, path)) == "deny"


@sweep("path", OPEN)
def test_another_file_is_written(load: Load, prepared: Project, path: str) -> None:
    assert decision(load, prepared, write_to(prepared, path)) is None


@sweep("command", [*WRITING, *DOCUMENTS])
def test_a_command_that_writes_a_protected_file_is_denied(load: Load, prepared: Project, command: str) -> None:
    assert decision(load, prepared, prepared.shell(command), PWD=prepared.folder) == "deny"


@sweep("command", READING)
def test_a_command_that_only_reads_passes(load: Load, prepared: Project, command: str) -> None:
    assert decision(load, prepared, prepared.shell(command)) is None


@pytest.mark.parametrize("command", ["cat 'open", "apply_patch < x", "cat x | apply_patch", 'apply_patch "$(cat x)"'])
def test_a_command_that_cannot_be_told_is_asked(load: Load, prepared: Project, command: str) -> None:
    assert decision(load, prepared, prepared.shell(command)) == "ask"


@pytest.mark.parametrize(
    ("tool_name", "key", "tool"),
    [
        ("FileCreate", "path", "write"),
        ("FileReplace", "path", "edit"),
        ("Write", "file_path", "write"),
        ("Edit", "file_path", "edit"),
        ("write_file", "file_path", "write"),
        ("replace", "file_path", "edit"),
        ("create_file", "filePath", "write"),
    ],
)
def test_every_agent_s_spelling_is_known(project: Project, tool_name: str, key: str, tool: str) -> None:
    values = {"content": "x"} if tool == "write" else {"old_string": "a", "new_string": "b"}
    payload = project.payload(tool, {key: ".env", **values}, tool_name=tool_name)
    result = project.run("protect-paths.py", payload)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (".env may hold secrets. Ask the user to change it; .env.example is open to you.\n")
    payload["tool_input"][key] = "a.txt"
    assert project.run("protect-paths.py", payload).returncode == 0


def test_several_edits_of_one_call_are_all_seen(load: Load, project: Project) -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"path": ".env", "old_string": "a", "new_string": "b"}]
    assert decision(load, project, project.payload("edit", {"path": "a", "edits": edits})) == "deny"
    assert decision(load, project, project.payload("edit", {"path": "a", "edits": edits[:1]})) is None


@pytest.mark.parametrize(
    "line", ["*** Update File: .env", "*** Add File: x/.env", "*** Delete File: .env", "*** Move to: .env"]
)
def test_a_patch_is_read_for_its_files(load: Load, project: Project, line: str) -> None:
    patch = f"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n{line}\n*** End Patch"
    assert decision(load, project, project.payload("edit", {"input": patch})) == "deny"
    assert decision(load, project, project.payload("edit", {"input": patch.replace(".env", "b")})) is None


def test_a_document_that_shows_a_patch_is_no_patch(load: Load, project: Project) -> None:
    text = "*** Begin Patch\n*** Update File: .env\n*** End Patch"
    assert decision(load, project, project.payload("write", {"path": "a.md", "content": text})) is None


PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-x\n+y\n*** End Patch"


@pytest.mark.parametrize(
    "tool_input",
    [
        {"path": "a", "file_path": ".env", "content": "x"},
        {"path": "a", "filePath": ".env"},
        {"path": "a", "target": ".env"},
        {"path": "a", "notebook_path": ".env"},
        {"path": "a", "paths": ["b", ".env"]},
        {"path": ".env", "content": "x", "patch": PATCH.format("a")},
        {"path": "a", "content": "x", "patch": PATCH.format(".env")},
        {"path": "a", "patch": PATCH.format("a"), "more": [PATCH.format(".env")]},
        {"path": ".env", "edits": [{"path": "a", "new_string": "x"}]},
        {"content": PATCH.format(".env")},
        {"patch": PATCH.format("a").replace("+y", "+y\f\n*** Delete File: .env")},
    ],
)
def test_no_other_key_hides_a_path(load: Load, project: Project, tool_input: dict[str, object]) -> None:
    assert decision(load, project, project.payload("edit", tool_input)) == "deny"
    harmless = json.loads(json.dumps(tool_input).replace(".env", "b"))
    assert decision(load, project, project.payload("edit", harmless)) is None


def test_a_patch_s_lines_end_at_line_feeds_alone(load: Load, project: Project) -> None:
    patch = PATCH.format("a").replace("+y", "+y\f*** Update File: .env")
    assert decision(load, project, project.payload("edit", {"input": patch})) is None
    assert decision(load, project, project.payload("edit", {"input": patch.replace("\f", "\n")})) == "deny"


@pytest.mark.parametrize("tool", ["write", "edit", "notebook"])
@pytest.mark.parametrize(
    "tool_input", [{"content": "x"}, {"file": ".env"}, {"path": 5}, {"path": "a", "file_path": {}}, {"path": ""}]
)
def test_a_write_whose_path_cannot_be_read_is_asked(
    load: Load, project: Project, tool: str, tool_input: dict[str, object]
) -> None:
    assert decision(load, project, project.payload(tool, tool_input)) == "ask"
    assert decision(load, project, project.payload("read", tool_input)) is None


def test_a_write_without_input_gets_no_opinion(load: Load, project: Project) -> None:
    assert decision(load, project, project.payload("write", {})) is None


def test_the_resolved_paths_of_the_payload_count(load: Load, project: Project) -> None:
    payload = project.payload("edit", {"target": "a"}, paths=[project.path(".env")])
    assert decision(load, project, payload) == "deny"
    assert decision(load, project, {**payload, "paths": [project.path("a")]}) is None


def test_paths_are_read_from_the_environment(project: Project) -> None:
    environ = {"HOOKRUN_TOOL": "edit", "XBOT_PROJECT_DIR": project.folder, "HOOKRUN_PATHS": project.path(".env")}
    assert project.run("protect-paths.py", "", **environ).returncode == 2


def test_reading_a_protected_file_passes(load: Load, project: Project) -> None:
    assert decision(load, project, project.payload("read", {"path": ".env"})) is None
    assert decision(load, project, project.payload("edit", {"path": ".env"})) == "deny"


@pytest.mark.parametrize("path", ["migrations/1/a.sql", "docs/a.md", "sub/exact.txt", "any/where/generated.py"])
def test_protected_paths_adds_globs(load: Load, project: Project, path: str) -> None:
    globs = "migrations/**, docs/*.md,sub/exact.txt generated.*"
    payload = write_to(project, path)
    assert decision(load, project, payload) is None
    assert decision(load, project, payload, PROTECTED_PATHS=globs) == "deny"
    assert decision(load, project, write_to(project, ".env"), PROTECTED_PATHS=globs) == "deny"
    assert decision(load, project, write_to(project, "docs.md"), PROTECTED_PATHS=globs) is None


def test_a_project_below_a_folder_of_a_protected_name_can_be_written(load: Load, project: Project) -> None:
    top = os.path.join(project.home, ".ssh", "project")
    payload = {**write_to(project, os.path.join(top, "a.txt")), "cwd": top, "project_dir": top}
    assert decision(load, project, payload) is None
    assert decision(load, project, {**payload, "project_dir": project.folder, "cwd": project.folder}) == "deny"


def test_a_question_is_json(project: Project) -> None:
    result = project.run("protect-paths.py", project.shell("rm 'x"))
    assert (result.returncode, json.loads(result.stdout)["decision"]) == (0, "ask")
