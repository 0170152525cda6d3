"""Putting the server's entry among those that a file has, without losing what somebody added to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

_REMOTE = frozenset(
    ("url", "httpUrl", "serverUrl", "headers", "http_headers", "env_http_headers", "bearer_token_env_var")
)
"""What clients have in an entry that reaches its server over HTTP; beside a command they refuse it or take it instead."""

_ADDED_TO = "env_vars"
"""The list that is added to; every other one is replaced."""


class Document(Protocol):
    """A configuration that is changed in place; `text` is what it is now."""

    text: str

    def get(self, path: Any) -> Any: ...

    def set(self, path: Any, value: Any) -> None: ...


def merge(document: Document, path: tuple[str, ...], entry: Mapping[str, Any], secret: Mapping[str, Any]) -> None:
    """Set what an entry says, and leave everything else in it as it is.

    What belongs to a server over HTTP goes, and so does the reference to a key (`secret`) that the entry does not need.

    Raises:
        ValueError: the document has something else where the entry belongs; the message says where.
    """
    old = document.get(path)
    if not isinstance(old, dict):
        document.set(path, dict(entry))
        return
    kept = _kept(old, entry, secret)
    wanted = _combined(kept, entry)
    if kept == old:
        _put(document, path, old, wanted)
    else:
        document.set(path, wanted)


def _put(document: Document, path: tuple[str, ...], old: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Set only what differs, so that comments within an entry stay."""
    for key, value in wanted.items():
        was = old.get(key)
        if isinstance(value, dict) and isinstance(was, dict):
            _put(document, (*path, key), was, value)
        elif was != value:
            document.set((*path, key), value)


def _combined(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    combined = dict(old)
    for key, value in new.items():
        was = old.get(key)
        if isinstance(value, Mapping) and isinstance(was, dict):
            combined[key] = _combined(was, value)
        elif key == _ADDED_TO and isinstance(was, list):
            combined[key] = was + [one for one in value if one not in was]
        else:
            combined[key] = value
    return combined


def _kept(old: Mapping[str, Any], entry: Mapping[str, Any], secret: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in old.items() if key not in _REMOTE}
    env = kept.get("env")
    if "env" in secret and "env" not in entry and isinstance(env, dict):
        rest = {name: value for name, value in env.items() if secret["env"].get(name) != value}
        if rest:
            kept["env"] = rest
        else:
            del kept["env"]
    return kept
