"""Run one real agent against the scripted model: a job as JSON on stdin, what happened as JSON on stdout.

A program of its own, so that the agent and the model can be put into a network that holds nothing else. The
job: agent, program, project, home, prompt, steps, deadline (seconds), options (more words for the agent).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripted_model import scripted_model

CODEX_CONFIG = """\
model = "gpt-5.5"  # one that Codex knows, or it offers no apply_patch
model_provider = "stand-in"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stand-in]
name = "stand-in"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"

[features]
hooks = true

[projects.{project}]
trust_level = "trusted"
"""
GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"disableAutoUpdate": True},
}
QWEN_SETTINGS = {
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
    "telemetry": {"enabled": False},
}


def main() -> None:
    job = json.load(sys.stdin)
    with scripted_model(job["steps"]) as model:
        words, variables = PREPARE[job["agent"]](job, model.server_port)
        code, output = bounded([job["program"], *words], job, {**os.environ, **variables})
    json.dump({"code": code, "output": output, "requests": model.requests}, sys.stdout)


def codex(job: dict[str, Any], port: int) -> tuple[list[str], dict[str, str]]:
    """Prepare the home for Codex; return its words and variables."""
    home = Path(job["home"], ".codex")
    home.mkdir(exist_ok=True)
    text = CODEX_CONFIG.format(port=port, project=json.dumps(job["project"]))
    (home / "config.toml").write_text(text, encoding="utf-8")
    words = ["exec", "--skip-git-repo-check", *job["options"], job["prompt"]]
    return words, {"CODEX_HOME": str(home), "STAND_IN_KEY": "x"}


def gemini(job: dict[str, Any], port: int) -> tuple[list[str], dict[str, str]]:
    """Prepare the home for Gemini CLI, whose settings may have hooks; return its words and variables."""
    _add(GEMINI_SETTINGS, Path(job["home"], ".gemini/settings.json"))
    words = ["--yolo", "-m", "gemini-2.5-flash", *job["options"], "-p", job["prompt"]]
    return words, {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}"}


def claude(job: dict[str, Any], port: int) -> tuple[list[str], dict[str, str]]:
    """Return the words and variables of Claude Code, which needs no file of its own."""
    words = ["-p", job["prompt"], "--allowedTools", "Bash,Read,Write", "--permission-mode", "acceptEdits"]
    address = {"ANTHROPIC_API_KEY": "x", "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}"}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"}
    return [*words, *job["options"]], {**address, **quiet, "IS_SANDBOX": "1"}


def qwen(job: dict[str, Any], port: int) -> tuple[list[str], dict[str, str]]:
    """Prepare the home for Qwen Code, whose settings may have hooks; return its words and variables."""
    _add(QWEN_SETTINGS, Path(job["home"], ".qwen/settings.json"))
    address = {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"}
    return ["--yolo", *job["options"], "-p", job["prompt"]], {**address, "OPENAI_MODEL": "stand-in"}


def cline(job: dict[str, Any], port: int) -> tuple[list[str], dict[str, str]]:
    """Sign Cline in at the model, which it keeps in the home; return its words and variables."""
    quiet = {
        "CLINE_SESSION_BACKEND_MODE": "local",  # or a daemon stays behind
        "CLINE_TELEMETRY_DISABLED": "1",
        "CLINE_NO_AUTO_UPDATE": "1",
    }
    stand_in = ["openai-compatible", "-k", "x", "-m", "stand-in", "-b", f"http://127.0.0.1:{port}/v1"]
    code, output = bounded([job["program"], "auth", "-p", *stand_in], job, {**os.environ, **quiet})
    assert code == 0, output
    words = ["--provider", "openai-compatible", "--model", "stand-in", *job["options"]]
    return [*words, f"{job['prompt']} now"], quiet  # a prompt of one word would be a command of it


def copilot(job: dict[str, Any], port: int) -> tuple[list[str], dict[str, str]]:
    """Return the words and variables of Copilot CLI, which unpacks itself into one place for all homes."""
    address = {
        "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "x",
        "COPILOT_MODEL": "stand-in",
    }
    quiet = {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"}
    unpacked = {"COPILOT_CACHE_HOME": str(Path(job["program"]).parents[2] / "copilot-cache")}
    asked = {"GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS": "true"}  # or -p runs no hook of the project
    words = ["-p", job["prompt"], "--allow-all-tools", "--no-color", *job["options"]]
    return words, {**address, **quiet, **unpacked, **asked}


def bounded(words: list[str], job: dict[str, Any], env: dict[str, str]) -> tuple[int | None, str]:
    """Run *words* without a terminal for at most the job's deadline; the code is None when it ran longer."""
    with tempfile.TemporaryFile() as output:  # no pipe: what outlives the agent must not hold us
        process = subprocess.Popen(
            words,
            cwd=job["project"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(job["deadline"])
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
        output.seek(0)
        return code, output.read().decode("utf-8", "replace")


def _add(values: dict[str, Any], path: Path) -> None:
    """Lay *values* over the settings at *path*."""
    path.parent.mkdir(exist_ok=True)
    settings = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**settings, **values}), encoding="utf-8")


PREPARE = {"codex": codex, "gemini": gemini, "claude": claude, "qwen": qwen, "cline": cline, "copilot": copilot}

if __name__ == "__main__":
    main()
