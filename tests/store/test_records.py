"""Users, keys, facts, personas, operations, audit, conversations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tallystick.store import AuditFilter, KeyRecord, Store

from .conftest import HashEmbedder, user

NOW = datetime.now(UTC).replace(microsecond=0)  # what is older than two days is purged


def working(store: Store, token: str) -> KeyRecord | None:
    with store.read(0) as unit:
        return unit.keys.find(token)


def test_keys(store: Store) -> None:
    with store.write(0) as unit:
        made, token = unit.keys.create("ann", "claude", ["memory:read", "memory:write"], NOW)
        other, _ = unit.keys.create("bob", "codex", [])
    assert token.startswith(f"tsk_{made.id}_")
    assert working(store, token) == made
    for wrong in (
        token + "0",
        token[:-1],
        "",
        "tsk",
        f"tsk_{made.id}_",
        "tsk_nobody_x",
        f"tsk_{other.id}_{token[-48:]}",
        "é_\ud800_x",
    ):
        assert working(store, wrong) is None
    assert token.rpartition("_")[2].encode() not in (store.home / "tallystick.db").read_bytes()
    with store.write(0) as unit:
        assert unit.keys.revoke(made.id, NOW)
        assert not unit.keys.revoke(made.id)
        assert [key.id for key in unit.keys.list()] == [made.id, other.id]
        assert [key.revoked for key in unit.keys.list("ann")] == [NOW]
    assert working(store, token) is None


def test_users_have_one_number(store: Store) -> None:
    assert user(store, "ann") == user(store, "ann") != user(store, "bob")
    with store.read(0) as unit:
        assert unit.users.find("nobody") is None
        assert unit.users.find("bob") == user(store, "bob")


def test_facts(store: Store, owner: int) -> None:
    with store.write(owner) as unit:
        assert (unit.facts.get(), unit.facts.updated()) == ({}, None)
        unit.facts.put({"a": [1, None, {"b": "完成"}]}, NOW)
        unit.facts.put({"a": [1, None, {"b": "完成 ★"}]}, NOW)
    with store.read(owner) as unit:
        assert (unit.facts.get(), unit.facts.updated()) == ({"a": [1, None, {"b": "完成 ★"}]}, NOW)
    with store.read(user(store, "bob")) as unit:
        assert unit.facts.get() == {}


def test_personas(store: Store) -> None:
    with store.write(0) as unit:
        built_in = unit.personas.list()
        assert [(one.name, one.built_in) for one in built_in] == [("betty", True), ("jack", True), ("nora", True)]
        assert all(one.definition and one.communication_style and one.behavioral_guidelines for one in built_in)
        unit.personas.put("otto", "Otto repairs bicycles.", "dry", "oil first")
        unit.personas.put("jack", "Jack bakes.", "warm", "no burning")
        assert unit.personas.delete("nora")
        assert not unit.personas.delete("nora")
    with store.read(0) as unit:
        assert [one.name for one in unit.personas.list()] == ["betty", "jack", "otto"]
        jack = unit.personas.get("jack")
        assert jack is not None
        assert (jack.definition, jack.built_in) == ("Jack bakes.", True)
        assert unit.personas.get("nora") is None
        near = unit.personas.nearest(HashEmbedder().query("otto repairs bicycles."))
    assert near[0] == ("otto", 1.0)
    assert len(near) == 3


def test_operations(store: Store, owner: int) -> None:
    kept = {"key": "k", "name": "store_context", "args_hash": "h", "answer": '{"id":"mem_1"}', "subject": "mem_1"}
    with store.write(owner) as unit:
        made = unit.operations.add(agent="claude", now=NOW, **kept)
    with store.read(owner) as unit:
        assert unit.operations.find("claude", "k", NOW + timedelta(hours=24)) == made
        assert unit.operations.find("codex", "k", NOW) is None
        assert unit.operations.find("claude", "k", NOW + timedelta(hours=49)) is None
    with store.read(user(store, "bob")) as unit:
        assert unit.operations.find("claude", "k", NOW) is None
    with store.write(owner) as unit:
        unit.operations.add(agent="claude", now=NOW + timedelta(hours=50), **kept)
        unit.operations.add(agent="claude", now=NOW, **{**kept, "key": "old"})
        assert unit.operations.purge(NOW + timedelta(hours=60)) == 1


def test_audit(store: Store, owner: int) -> None:
    with store.write(owner) as unit:
        for i in range(5):
            unit.audit.add(
                request_id=f"req_{i}", user="ann", agent="codex" if i else "claude", operation="store_context", outcome="ok",
                duration_ms=1.5, subject="mem_1", now=NOW + timedelta(seconds=i // 2),
            )  # fmt: skip
    with store.read(0) as unit:
        first = unit.audit.page(3)
        rest = unit.audit.page(3, (first[-1].time, first[-1].id))
        assert len({row.request_id for row in first + rest}) == 5
        assert [row.time for row in first + rest] == sorted((row.time for row in first + rest), reverse=True)
        assert len(unit.audit.page(9, where=AuditFilter(agent="codex"))) == 4
        assert len(unit.audit.page(9, where=AuditFilter(since=NOW + timedelta(seconds=2)))) == 1
        assert len(unit.audit.page(9, where=AuditFilter(until=NOW + timedelta(seconds=1), user="ann"))) == 2
        assert unit.audit.page(9, where=AuditFilter(owner=owner + 1)) == []
