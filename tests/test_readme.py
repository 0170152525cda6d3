"""Every block of the README that can run does: shell blocks against a real server, Python blocks after them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tallystick.settings import Settings

from tests.e2e.process import serving

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """A server of its own, and what a reader has set who followed the page so far."""
    home = tmp_path_factory.mktemp("readme") / "home"
    home.mkdir(mode=0o700)
    with serving(home) as server:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        found = os.environ | {"PATH": path, "TALLYSTICK_HOME": str(home), "URL": server.url}
        made = ["tallystick", "keys", "create", "--agent", "reader", "--json"]
        key = json.loads(subprocess.run(made, env=found, capture_output=True, check=True).stdout)["key"]
        yield found | {"TALLYSTICK_API_KEY": key}


@pytest.mark.parametrize(("language", "code"), [block for block in BLOCKS if block[0] in ("sh", "python")])
def test_blocks_run(environment: dict[str, str], language: str, code: str) -> None:
    code = code.replace("http://127.0.0.1:8765", environment["URL"]).replace("curl -s", "curl -sS --fail-with-body")
    command = ["bash", "-euo", "pipefail", "-c", code] if language == "sh" else [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stdout.lower(), done.stdout


def test_every_language_is_known() -> None:
    assert {language for language, _ in BLOCKS} <= {"sh", "python", "console"}


def test_every_setting_is_documented() -> None:
    for name in Settings.model_fields:
        assert f"TALLYSTICK_{name.upper()}" in README


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert "://" in target or (ROOT / target).exists(), target
