"""Where the keys of workspaces are kept, and which workspace a call means."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from tallystick.linear import Workspaces, chosen


def test_one_two_and_none(tmp_path: Path) -> None:
    kept = Workspaces(tmp_path, {})
    assert kept.all() == []
    assert chosen(kept.all(), "AV") is None
    kept.connect("AV", "Avenue", "lin_api_one")
    assert chosen(kept.all(), None) == chosen(kept.all(), "nonsense") == kept.all()[0], (
        "the only one, whatever it is called"
    )
    kept.connect("JL", "Jolly", "lin_api_two")
    assert chosen(kept.all(), None) is None
    assert chosen(kept.all(), "nonsense") is None
    for label in ("jl", "JL", "Jl"):
        found = chosen(kept.all(), label)
        assert found is not None
        assert (found.key, found.organization) == ("lin_api_two", "Jolly")
    kept.connect("jl", "Jolly", "lin_api_three")
    assert [one.label for one in kept.all()] == ["AV", "jl"]
    assert kept.disconnect("JL")
    assert not kept.disconnect("JL")
    assert [one.label for one in Workspaces(tmp_path, {}).all()] == ["AV"]


def test_the_file_is_the_users_alone_and_nothing_shows_a_key(tmp_path: Path) -> None:
    kept = Workspaces(tmp_path, {})
    kept.connect("AV", "Avenue", "lin_api_secret")
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "secret" not in repr(kept.all())


def test_the_environment_comes_first(tmp_path: Path) -> None:
    Workspaces(tmp_path, {}).connect("av", "Avenue", "lin_api_file")
    found = Workspaces(tmp_path, {"AV": "lin_api_env", "X": "lin_api_x"}).all()
    assert [(one.label, one.organization, one.origin) for one in found] == [
        ("AV", "Avenue", "environment"),
        ("X", "", "environment"),
    ]
    assert found[0].key == "lin_api_env"


def test_a_damaged_file_is_named_and_not_shown(tmp_path: Path) -> None:
    Workspaces(tmp_path, {}).connect("AV", "Avenue", "lin_api_secret")
    (file,) = tmp_path.iterdir()
    file.write_text(file.read_text()[:-6])
    with pytest.raises(ValueError, match=r"linear.json is damaged") as refused:
        Workspaces(tmp_path, {}).all()
    assert "secret" not in str(refused.value)
