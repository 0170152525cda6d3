"""The command: writing, --check, --stub, exit codes, and the same bytes whatever the hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.__main__ import ROOT, main
from tests.codegen.changed import NOTES, changed

HANDLERS = "tallystick_contract/handlers.py"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    assert main(["--contracts", str(NOTES), "--generated", str(folder)]) == 0
    return folder


def _run(folder: Path, *more: str) -> int:
    return main(["--contracts", str(NOTES), "--generated", str(folder), *more])


def test_check_passes_on_what_was_written(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(written, "--check") == 0
    assert capsys.readouterr().out == ""


def test_a_second_run_writes_nothing(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(written) == 0
    assert capsys.readouterr().out == ""


def test_check_shows_a_changed_file_and_leaves_it(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written / HANDLERS
    right = path.read_text("utf-8")
    wrong = right.replace("    def get_note(", "    def got_note(")
    path.write_text(wrong, "utf-8")
    assert _run(written, "--check") == 1
    printed = capsys.readouterr()
    assert f"--- generated/{HANDLERS}\n+++ generated/{HANDLERS}\n" in printed.out
    signature = "_note(self, request: models.GetNoteRequest, context: ContextT) -> models.Note:\n"
    assert f"-    def got{signature}+    def get{signature}" in printed.out
    assert printed.err == "generated/ is out of date; run `python -m codegen` and commit what it writes\n"
    assert path.read_text("utf-8") == wrong
    assert _run(written) == 0
    assert path.read_text("utf-8") == right


def test_check_shows_missing_and_left_over_files(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left_over = written / "tallystick_contract/old.py"
    left_over.write_text("x = 1\n", "utf-8")
    (written / "tallystick_contract/py.typed").unlink()
    assert _run(written, "--check") == 1
    out = capsys.readouterr().out
    assert "--- generated/tallystick_contract/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n" in out
    assert "--- /dev/null\n+++ generated/tallystick_contract/py.typed\n" in out
    assert _run(written) == 0
    assert not left_over.exists()
    assert (written / "tallystick_contract/py.typed").exists()


def test_files_written_by_hand_beside_generated_ones_stay(written: Path) -> None:
    by_hand = written / "python-client/pyproject.toml"
    by_hand.parent.mkdir(exist_ok=True)
    by_hand.write_text("[project]\n", "utf-8")
    assert _run(written, "--check") == 0
    assert _run(written) == 0
    assert by_hand.exists()


def test_stub(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--contracts", str(NOTES), "--stub", "add_note"]) == 0
    assert capsys.readouterr().out == (
        "# server/tallystick/handlers/notes.py, in the class that is the NotesHandlers of this server\n"
        "    def add_note(self, request: models.AddNoteRequest, context: Context) -> models.AddNoteResponse:\n"
        '        """Write a note down."""\n'
        "        raise NotImplementedError\n"
        "\n"
        "    def replay_add_note(self, answer: dict[str, Any], context: Context) -> models.AddNoteResponse:\n"
        '        """Render the first answer of add_note again."""\n'
        "        raise NotImplementedError\n"
    )


def test_stub_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--contracts", str(NOTES), "--stub", "eat_note"]) == 2
    assert capsys.readouterr().err == (
        "no operation eat_note; there are: add_note, edit_note, export_notes, find_notes, get_note, metrics, put_extra,"
        " send_note\n"
    )


def test_a_fault_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = changed(tmp_path, "tools/notes/add_note.yaml", "errors: []", "errors: [TOO_MANY]")
    folder = tmp_path / "generated"
    assert main(["--contracts", str(root), "--generated", str(folder)]) == 1
    assert not folder.exists()
    assert capsys.readouterr().err == (
        "contracts/tools/notes/add_note.yaml: add_note declares TOO_MANY, which is not in contracts/errors.yaml;"
        " add it there\n1 fault in the contract; nothing was generated\n"
    )


@pytest.mark.parametrize("seed", ["1", "4711"])
def test_the_hash_seed_changes_no_byte(written: Path, seed: str) -> None:
    command = [sys.executable, "-m", "codegen", "--check", "--contracts", str(NOTES), "--generated", str(written)]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
