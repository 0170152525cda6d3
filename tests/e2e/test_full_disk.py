"""A disk without room: writes are refused with what to do, everything else goes on, and room is enough to go on."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.process import note, serving, tallystick


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of six mebibytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(disk)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"NOT TESTED: a full disk, since nothing can be mounted here ({mounted.stderr.strip()})")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk(small: Path) -> None:
    home = small / "home"
    with serving(home) as server, server.client() as client:
        ids: list[str] = []
        while True:
            memory = {**note(len(ids)), "context": f"number{len(ids)} " + "words " * 5000}
            answer = client.post("/v1/memories", json=memory)
            if answer.status_code != 201:
                break
            ids.append(answer.json()["memory_id"])
        assert len(ids) > 3
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], str(home) in error["message"]) == (507, "STORE_FULL", True)
        assert client.get(f"/v1/memories/{ids[0]}").json()["context"].startswith("number0 words")
        assert client.post("/v1/search", json={"query": "number1"}).json()["total"] == 1
        assert client.post("/v1/context-recall", json={"query": "number2"}).status_code == 200
        assert client.get("/v1/memories").json()["items"][0]["id"] == ids[-1]  # the refused one left nothing behind
        assert client.get("/health/ready").status_code == 200
        subprocess.run(["mount", "-o", "remount,size=60m", str(small)], check=True)
        assert client.post("/v1/memories", json=memory).status_code == 201
    assert len(tallystick(home, "memories", "list").stdout.splitlines()) > len(ids)


def test_a_start_without_room(small: Path) -> None:
    """The little that is left is used up in steps, so that the start fails in one place after the other."""
    for left in (4096, 40_960, 200_000):
        home = small / f"home-{left}"
        room = os.statvfs(small)
        (small / "ballast").write_bytes(bytes(room.f_bavail * room.f_frsize - left))
        done = tallystick(home, "serve", "--port", "0", env={"TALLYSTICK_LOG_LEVEL": "error"})
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert str(home) in done.stderr
        assert any(words in done.stderr for words in ("No space left", "disk is full", "no room", "disk I/O error"))
        (small / "ballast").unlink()
        shutil.rmtree(home)
