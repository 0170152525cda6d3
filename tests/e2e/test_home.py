"""The path of a home, as clients hand it over: without a shell, from any working directory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tallystick

from tests.e2e.process import answer, note, serving
from tests.e2e.process import tallystick as command


def test_a_tilde_is_the_users_folder_from_any_directory(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    env = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    made = command("~/vault t é/", "keys", "create", "--agent", "a", "--json", env=env, cwd=here)
    assert made.returncode == 0, made.stderr
    listed = command("~/vault t é", "keys", "list", "--json", env=env, cwd=there)
    assert [one["id"] for one in json.loads(listed.stdout)] == [json.loads(made.stdout)["id"]]
    assert (tmp_path / "vault t é" / "tallystick.db").is_file()
    assert [*here.iterdir(), *there.iterdir()] == []
    assert not (tmp_path / "~").exists()


@pytest.mark.parametrize("path", ["$HOME/x", "data", "./data", r"C:\Users\u\vault", "~nobody-of-that-name/x"])
def test_a_path_that_depends_on_something_is_refused_by_name(tmp_path: Path, path: str) -> None:
    for arguments in (("serve", "--port", "0"), ("keys", "list"), ("doctor",), ("mcp", "--check")):
        done = command(path, *arguments, cwd=tmp_path)
        assert done.returncode == 1
        assert repr(path) in done.stderr
        assert "Traceback" not in done.stderr
    assert [*tmp_path.iterdir()] == []
    assert not (Path(tallystick.__file__).parent / path).exists()


def test_a_file_or_a_folder_below_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for path in (file, file / "home"):
        done = command(path, "serve", "--port", "0")
        assert done.returncode == 1
        assert str(file) in done.stderr
        assert "Traceback" not in done.stderr
    assert file.read_text() == "mine"


def test_the_option_comes_before_the_environment(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert command(one, "keys", "create", "--agent", "a", "--home", str(other)).returncode == 0
    assert not one.exists()
    assert answer(other, "keys", "list")[0]["agent"] == "a"


def test_a_running_server_is_found_through_another_spelling_of_its_home(home: Path) -> None:
    with serving(home) as server, server.client() as client:
        client.post("/v1/memories", json=note(7))
        found = answer(home.parent / ".." / home.parent.name / home.name, "memories", "list")
    assert [memory["title"] for memory in found] == [note(7)["summary"]]


def test_a_wrong_model_is_told_at_the_start(tmp_path: Path) -> None:
    junk = tmp_path / "model.onnx"
    junk.write_bytes(b"junk")
    for path, words in ((tmp_path / "missing.onnx", "no such file"), (junk, "is not the embedding model")):
        done = command(tmp_path / "home", "serve", "--port", "0", env={"TALLYSTICK_EMBEDDING_MODEL": str(path)})
        assert done.returncode == 1
        assert str(path) in done.stderr
        assert words in done.stderr
