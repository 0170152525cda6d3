"""A backup is whole while others write; a restore puts all of it in place, or changes nothing."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tallystick.store import HomeInUse, Store, StoreUnusable
from tallystick.store.backup import back_up
from tallystick.store.migrate import KNOWN
from tallystick.store.restore import restore

from .conftest import meaning, put, user, words
from .test_indexing import counts

KILLED = 99


def filled(open_store: Callable[..., Store]) -> Path:
    """A home, closed, and in its backups one of when it held `early` and not yet `late`."""
    store = open_store()
    owner = user(store, "ann")
    put(store, owner, "early walrus")
    assert store.wait_indexed(30)
    back_up(store.home)
    put(store, owner, "late walrus")
    assert store.wait_indexed(30)
    store.close()
    return store.home


def titles(database: Path) -> list[str]:
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = [row[0] for row in connection.execute("SELECT title FROM revisions ORDER BY n")]
    connection.close()
    return found


def tree(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


def the_backup(home: Path) -> Path:
    return next(path for path in (home / "backups").iterdir() if path.name.endswith(f"Z-{KNOWN[-1]}.db"))


def test_while_others_write(store: Store, owner: int, tmp_path: Path) -> None:
    for number in range(200):
        put(store, owner, f"note {number}", "text " * 200)
    done = threading.Event()

    def write() -> None:
        number = 0
        while not done.is_set():
            put(store, owner, f"later {number}")
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    told: list[tuple[int, int]] = []
    try:
        made = [back_up(store.home, tmp_path / f"{n}.db", lambda *how: told.append(how)) for n in range(5)]
    finally:
        done.set()
        writer.join()
    assert told[-1][0] == told[-1][1] > 0
    for one in made:
        assert len(titles(one.file)) == one.records["memories"] == one.records["revisions"] >= 200
        assert one.file.stat().st_mode & 0o777 == 0o600
        assert one.bytes == one.file.stat().st_size
        assert not [path for path in one.file.parent.iterdir() if path.name.startswith(f"{one.file.name}-")]
    assert [one.records["memories"] for one in made] == sorted(one.records["memories"] for one in made)


def test_into_the_home_by_default_and_never_over_a_file(store: Store, owner: int, tmp_path: Path) -> None:
    put(store, owner)
    one, two = back_up(store.home), back_up(store.home)
    assert one.file.parent == two.file.parent == store.home / "backups"
    assert sorted((one.file.name, two.file.name)) == store.backups()
    assert back_up(store.home, tmp_path).file.parent == tmp_path
    with pytest.raises(StoreUnusable, match="there already"):
        back_up(store.home, one.file)
    with pytest.raises(StoreUnusable, match="is no folder"):
        back_up(store.home, tmp_path / "no" / "such.db")


def test_of_a_damaged_or_missing_database(open_store: Callable[..., Store], tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="nothing is stored there"):
        back_up(tmp_path / "nowhere")
    home = filled(open_store)
    database = home / "tallystick.db"
    whole = database.read_bytes()
    database.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreUnusable, match="damaged"):
        back_up(home)
    assert len(list((home / "backups").iterdir())) == 1


def test_there_and_back(open_store: Callable[..., Store]) -> None:
    home = filled(open_store)
    called: list[str] = []
    done = restore(home, the_backup(home), lambda: called.append("ready"))
    assert called == ["ready"]
    assert done.records["memories"] == 1
    assert not done.outdated
    assert done.kept is not None
    assert titles(done.kept) == ["early walrus", "late walrus"]
    assert done.kept.stat().st_mode & 0o777 == 0o600
    store = open_store()
    assert words(store, 1, "walrus") == meaning(store, 1, "walrus")
    assert len(words(store, 1, "walrus")) == 1
    until_whole(store)
    assert counts(store, 1)[0] == 1
    assert counts(store, 1)[1] == counts(store, 1)[2]
    store.close()
    restore(home, done.kept)
    assert len(words(open_store(), 1, "walrus")) == 2


def until_whole(store: Store) -> None:
    until = threading.Event()
    for _ in range(600):
        if store.vectors.whole and store.state().vectors == "ready":
            return
        until.wait(0.05)
    raise AssertionError(store.state())


def test_into_a_home_that_is_not_made(open_store: Callable[..., Store], tmp_path: Path) -> None:
    backup = the_backup(filled(open_store))
    done = restore(tmp_path / "new", backup)
    assert done.kept is None
    assert titles(tmp_path / "new" / "tallystick.db") == ["early walrus"]
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_over_a_damaged_database_and_its_log(open_store: Callable[..., Store]) -> None:
    home = filled(open_store)
    database, log = home / "tallystick.db", home / "tallystick.db-wal"
    # As a killed owner leaves it: what was written last is in the log alone.
    connection = sqlite3.connect(database, isolation_level=None)
    connection.executescript("PRAGMA wal_autocheckpoint=0; UPDATE users SET name = 'eve'")
    left = log.read_bytes()
    shutil.copyfile(log, home / "log")
    connection.close()
    (home / "log").rename(log)
    database.write_bytes(b"not a database" * 1000)
    done = restore(home, the_backup(home))
    assert done.kept is not None
    assert done.kept.read_bytes() == b"not a database" * 1000
    assert done.kept.with_name(f"{done.kept.name}-wal").read_bytes() == left
    assert titles(database) == ["early walrus"]
    with open_store().read(0) as unit:
        assert unit.users.find("ann")


def test_what_the_log_still_held_is_kept_too(open_store: Callable[..., Store]) -> None:
    home = filled(open_store)
    child = os.fork()
    if not child:
        connection = sqlite3.connect(home / "tallystick.db", isolation_level=None)
        connection.executescript("UPDATE revisions SET title = 'in the log' WHERE title LIKE 'late%'")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert (home / "tallystick.db-wal").stat().st_size
    done = restore(home, the_backup(home))
    assert done.kept is not None
    assert titles(done.kept) == ["early walrus", "in the log"]
    assert titles(home / "tallystick.db") == ["early walrus"]


def newer(database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()


def foreign(database: Path) -> None:
    database.unlink()
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-20_000]), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:9000] + b"\xa5" * 90_000), "damaged"),
        (lambda path: path.write_text("a letter"), "no SQLite database"),
        (lambda path: path.write_bytes(b""), "nothing in it"),
        (lambda path: path.unlink(), "no such file"),
        (newer, "newer version"),
        (foreign, "something else"),
    ],
)  # fmt: skip
def test_what_is_no_backup_changes_nothing(
    open_store: Callable[..., Store], tmp_path: Path, spoil: Callable[[Path], None], said: str
) -> None:
    home = filled(open_store)
    file = Path(shutil.copy(the_backup(home), tmp_path / "copy.db"))
    spoil(file)
    before, beside = tree(home), sorted(tmp_path.iterdir())
    with pytest.raises(StoreUnusable, match=said):
        restore(home, file)
    assert tree(home) == before
    assert sorted(tmp_path.iterdir()) == beside


def test_damage_that_only_the_whole_look_finds(open_store: Callable[..., Store], tmp_path: Path) -> None:
    home = filled(open_store)
    file = Path(shutil.copy(the_backup(home), tmp_path / "copy.db"))
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE ballast (x)")
        connection.execute("INSERT INTO ballast VALUES (zeroblob(20000000))")
    connection.close()
    data = bytearray(file.read_bytes())
    (page,) = [n for n in range(0, len(data), 4096) if b"early walrus" in data[n : n + 4096]][:1]
    data[page : page + 8] = b"\xff" * 8
    file.write_bytes(data)
    before = titles(home / "tallystick.db")
    with pytest.raises(StoreUnusable, match=r"damaged|malformed"):
        restore(home, file)
    assert titles(home / "tallystick.db") == before
    assert [path.name for path in home.glob("*restoring*")] == []


def test_not_while_a_process_owns_the_home(store: Store, owner: int) -> None:
    put(store, owner)
    made = back_up(store.home)
    with pytest.raises(HomeInUse):
        restore(store.home, made.file)
    assert store.backups() == [made.file.name]


def test_not_while_a_program_reads_the_database(open_store: Callable[..., Store]) -> None:
    home = filled(open_store)
    reader = sqlite3.connect(f"{(home / 'tallystick.db').as_uri()}?mode=ro", uri=True, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM users").fetchone()
    with pytest.raises(StoreUnusable, match="another program is reading it"):
        restore(home, the_backup(home))
    reader.close()
    assert titles(home / "tallystick.db") == ["early walrus", "late walrus"]
    assert restore(home, the_backup(home)).kept


def test_an_older_one_is_brought_up_to_date_by_the_next_start(open_store: Callable[..., Store], tmp_path: Path) -> None:
    from .test_upgrade import old_home

    _, made = old_home(tmp_path / "home", open_store)
    backup = back_up(tmp_path / "home", tmp_path / "old.db")
    assert backup.records["memories"] == 2
    assert "sessions" not in backup.records
    done = restore(tmp_path / "home", backup.file)
    assert done.outdated
    store = open_store()
    assert set(words(store, 1, "walrus")) == set(made)
    assert len(store.backups()) == 2, "the one that was there, and the one before its tables were changed"


KILLING = """
import os, sys
from pathlib import Path
from tallystick.store.restore import restore

home, killed = Path(sys.argv[1]), int(sys.argv[2])

def die_after(steps):
    left = iter(range(steps))

    def count(event, _arguments):
        if event.startswith(("os.", "open", "sqlite3.", "shutil.")) and next(left, None) is None:
            os._exit(killed)  # at once, as a signal would end it; sending one is such an event itself

    sys.addaudithook(count)

for line in sys.stdin:
    (backup,) = (home / "backups").iterdir()
    child = os.fork()
    if not child:
        try:
            die_after(int(line))
            restore(home, backup)
        except BaseException:
            os._exit(1)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a copy of a process")
@pytest.mark.timeout(600)
def test_killed_at_any_step_it_is_all_or_nothing(open_store: Callable[..., Store], tmp_path: Path) -> None:
    home, steps = filled(open_store), 0
    untouched = shutil.copytree(home, tmp_path / "untouched")
    seen = set()
    # A process of its own, since a copy of this one would have threads and files of all tests before.
    command = [sys.executable, "-c", KILLING, str(home), str(KILLED)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        while True:
            shutil.rmtree(home)
            shutil.copytree(untouched, home)
            print(steps, file=process.stdin, flush=True)
            status = int(process.stdout.readline())
            found = tuple(titles_by_opening(home, open_store))
            assert found in {("early walrus", "late walrus"), ("early walrus",)}, steps
            assert not [path for path in home.iterdir() if "restoring" in path.name or "old" in path.name]
            seen.add(found)
            if status == 0:
                break
            assert status == KILLED, steps
            steps += 1
        process.stdin.close()
    assert steps > 20
    assert len(seen) == 2


def titles_by_opening(home: Path, open_store: Callable[..., Store]) -> list[str]:
    store = open_store()
    found = [words(store, 1, "walrus"), meaning(store, 1, "walrus")]
    assert sorted(found[0]) == sorted(found[1])
    store.close()
    return titles(home / "tallystick.db")
