"""A transcript that is larger than the memory of who imports it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.process import COMMAND, environment, serving

from .made import KEPT, SESSION, turns

TURNS = 10_000  # 200,000 lines
LONG = 50_000_000  # bytes of one of them
CEILING = 192  # MiB of address space of the importing process, of which Python and what it loads take 60
HALVES = "Its other half was written later."
LAST = {
    "type": "assistant", "uuid": "last", "parentUuid": None, "sessionId": SESSION, "timestamp": "2026-05-30T09:00:00Z",
    "message": {"role": "assistant", "content": HALVES},
}  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a process to an address space")
def test_200_mb_are_imported_under_a_ceiling(tmp_path: Path) -> None:
    home, transcript = tmp_path / "home", tmp_path / f"{SESSION}.jsonl"
    home.mkdir(mode=0o700)
    last = json.dumps(LAST)
    with transcript.open("w", encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(turns(TURNS, lambda size: "what an agent reads and writes " * (size // 31))):
            file.write(f"{line}\n")
            if number == TURNS * 10:
                file.write('{"type":"assistant","uuid":"long","message":{"role":"assistant","content":"')
                file.write("x" * LONG)
                file.write('"}}\n')
        file.write(last[:60])
    assert transcript.stat().st_size > 200_000_000
    with serving(home) as server, server.client() as client:
        first = limited_import(home, transcript)
        assert first["skipped"]["line over 32 MiB"] == 1
        assert "not JSON" not in first["skipped"]
        assert (first["new"], first["removed"]) == (KEPT * TURNS, 0)
        again = limited_import(home, transcript)
        assert (again["new"], again["changed"], again["removed"]) == (0, 0, 0)
        with transcript.open("a", encoding="utf-8") as file:
            file.write(f"{last[60:]}\n")
        assert limited_import(home, transcript)["new"] == 1
        end = client.get(f"/v1/sessions/{SESSION}", params={"offset": KEPT * TURNS - 1}).json()
        assert end["session"]["message_count"] == KEPT * TURNS + 1
        assert [message["id"] for message in end["messages"]][1:] == ["last"]
        assert end["messages"][-1]["content"] == HALVES


def limited_import(home: Path, transcript: Path) -> Any:
    """What `tallystick import --json` prints; the server, which has the home already, is not under the limit."""
    limited = [
        "sh",
        "-c",
        f'ulimit -v {CEILING * 1024} && exec "$@"',
        "sh",
        *COMMAND,
        "import",
        str(transcript),
        "--json",
    ]
    done = subprocess.run(limited, env=environment(home), capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
