"""The home: private, owned by one process, never damaged further."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from tallystick.store import HomeInUse, Store, StoreUnusable, migrate, tables

from .conftest import HashEmbedder, put, user

SERVER = Path(__file__).parents[2] / "server"


def opening(home: Path) -> Store:
    return Store.open(home, embedder=HashEmbedder())


def test_it_is_private(store: Store, home: Path) -> None:
    assert {oct(path.stat().st_mode & 0o777) for path in (home, home / "run")} == {"0o700"}
    put(store, user(store, "ann"))
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in home.glob("tallystick.db*")} == {
        "tallystick.db": "0o600",
        "tallystick.db-wal": "0o600",
        "tallystick.db-shm": "0o600",
    }


def test_a_folder_that_was_there_keeps_its_mode(home: Path) -> None:
    home.mkdir()
    home.chmod(0o755)
    (home / "tallystick.db").write_bytes(b"not a database at all, just text")
    (home / "tallystick.db").chmod(0o644)
    with pytest.raises(StoreUnusable):
        opening(home)
    assert {oct(path.stat().st_mode & 0o777) for path in (home, home / "tallystick.db")} == {"0o755", "0o644"}
    (home / "tallystick.db").unlink()
    opening(home).close()
    assert oct(home.stat().st_mode & 0o777) == "0o755"
    assert {oct(path.stat().st_mode & 0o777) for path in (home / "run", home / "tallystick.db")} == {"0o700", "0o600"}


def test_a_second_owner_is_refused(store: Store, home: Path) -> None:
    with pytest.raises(HomeInUse, match=re.escape(str(home))):
        opening(home)
    code = (
        "import sys; from pathlib import Path; from tallystick.store import Store, HomeInUse, MiniLm\n"
        "try: Store.open(Path(sys.argv[1]), embedder=MiniLm())\n"
        "except HomeInUse as error: print(error); sys.exit(7)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SERVER)}
    run = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True, text=True, env=env, check=False)
    assert run.returncode == 7, run.stderr
    assert "another tallystick process" in run.stdout


def test_it_is_given_back(home: Path) -> None:
    for _ in range(3):
        store = opening(home)
        store.close()
        store.close()


@pytest.mark.parametrize("content", [b"not a database at all, just text", b"SQLite format 3\x00" + b"\xff" * 8192])
def test_a_damaged_database_is_left_alone(home: Path, content: bytes) -> None:
    home.mkdir()
    database = home / "tallystick.db"
    database.write_bytes(content)
    with pytest.raises(StoreUnusable, match=r"tallystick\.db"):
        opening(home)
    assert database.read_bytes() == content
    database.unlink()
    opening(home).close()


def test_a_page_gone_bad_is_noticed(home: Path) -> None:
    store = opening(home)
    owner = user(store, "ann")
    for i in range(30):
        put(store, owner, f"note {i}", "x" * 500)
    store.close()
    database = home / "tallystick.db"
    content = bytearray(database.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\xa5" * 4096 * 3
    database.write_bytes(content)
    with pytest.raises(StoreUnusable, match="damaged"):
        opening(home)
    assert database.read_bytes() == content


@pytest.mark.parametrize("foreign", [True, False])
def test_a_newer_or_foreign_database_is_refused(home: Path, foreign: bool) -> None:
    if foreign:
        home.mkdir()
    else:
        opening(home).close()
    with sqlite3.connect(home / "tallystick.db") as connection:
        connection.execute("CREATE TABLE x (y)" if foreign else "UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = (home / "tallystick.db").read_bytes()
    with pytest.raises(StoreUnusable, match="something else" if foreign else r"newer.*9999"):
        opening(home)
    assert (home / "tallystick.db").read_bytes() == before


def test_a_file_as_home(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreUnusable, match="file"):
        opening(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_odd_paths(tmp_path: Path) -> None:
    home = tmp_path / "a b" / "émoji 🎉 #1?%20"
    opening(home).close()
    assert (home / "tallystick.db").exists()


def test_migrations_make_the_tables(store: Store) -> None:
    scripts = ScriptDirectory(str(SERVER / "tallystick" / "store" / "migrations"))
    assert [one.revision for one in scripts.walk_revisions()] == list(reversed(migrate.KNOWN))
    virtual = re.compile(r"(memory_(words|trigrams)|message_words)|alembic_version|sqlite_")
    with store.read(0) as unit:
        context = MigrationContext.configure(unit.connection)
        differences = compare_metadata(context, tables.Base.metadata)
    assert [
        one for one in differences if not virtual.match(getattr(one[1], "name", "") if isinstance(one, tuple) else "")
    ] == []


def test_the_cursor_key_outlives_a_restart(open_store: Callable[..., Store]) -> None:
    key = open_store().cursor_key
    assert len(key) == 32
    assert open_store().cursor_key == key
