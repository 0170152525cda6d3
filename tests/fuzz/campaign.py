"""One caller's attack on a running server: all of Schemathesis's phases and checks over all operations of the contract."""

from __future__ import annotations

import contextlib
import copy
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.engine import from_schema
from schemathesis.generation.meta import CoveragePhaseData
from schemathesis.hooks import GLOBAL_HOOK_DISPATCHER
from tallystick_contract.documents import load_openapi
from tallystick_contract.operations import OPERATIONS

from tests.live import Live

from . import checks
from .caller import EVERYTHING, Caller
from .tally import Tally
from .walk import links_of, walk

SETTINGS = tomllib.loads(Path(__file__).with_name("schemathesis.toml").read_text("utf-8"))
ENDS_IT_ALL = "erase_user_data"
"""The operation after which a user has no records left: it is attacked alone, as a user of its own."""

CALLS, SEQUENCES = ("examples", "coverage", "fuzzing"), ("stateful",)
"""Schemathesis's phases: of single calls, and of calls that follow from each other."""

assert checks  # imported for what it adds to Schemathesis's checks


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    Attributes:
        examples: generated cases an operation.
        scenarios: sequences of calls that Schemathesis makes of links.
        walks: walks from each operation with links.
        seed: the same seed makes the same cases.
    """

    examples: int
    scenarios: int
    walks: int
    seed: int = 0


def attack(live: Live, caller: Caller, effort: Effort, folder: Path, only: str | None = None) -> Tally:
    """Run the campaign.

    Args:
        live: the server.
        caller: who attacks it.
        effort: how much is tried.
        folder: where a file for Schemathesis may be put.
        only: the one operation to attack; else all but the one that ends it all.
    """
    rest = {operation.name for operation in OPERATIONS} - {only} if only else {ENDS_IT_ALL}
    tally = Tally(labels())

    def schema(seed: int, phases: tuple[str, ...]) -> Any:
        if caller.scopes == EVERYTHING:
            caller.provide(live)
        config = schemathesis.Config.from_dict(_settings(live, caller, effort, folder, seed, phases))
        whole = schemathesis.openapi.from_dict(document(caller), config=config)
        return whole.exclude(operation_id=sorted(rest))

    with _touched_up(caller):
        tally.take(from_schema(schema(effort.seed, CALLS)).execute())
        if caller.key is not None and not only:
            # Hypothesis ends a search for sequences as soon as the same sequence is answered in another way, as where
            # records are it often is. So it begins anew, with other sequences, until there were as many as wanted.
            for seed in range(effort.seed, effort.seed + effort.scenarios):
                if tally.scenarios >= effort.scenarios:
                    break
                tally.take(from_schema(schema(seed, SEQUENCES)).execute())
        if effort.walks:
            walk(schema(effort.seed, SEQUENCES), caller, effort.walks, effort.seed, tally)
    return tally


def document(caller: Caller) -> dict[str, Any]:
    """The bundled contract, its examples speaking of records that the caller's user has."""
    whole: dict[str, Any] = _with_examples_of(caller, load_openapi())
    return whole


def links() -> set[str]:
    """The links of the contract, as Schemathesis names them in full."""
    schema = schemathesis.openapi.from_dict(load_openapi())
    operations: list[Any] = list(schema.get_all_operations())
    return {link.full_name for operation in operations for link in links_of(operation.ok())}


def labels() -> dict[str, str]:
    """Operation names by Schemathesis's labels."""
    return {f"{method} {path}": operation.name for (method, path), operation in checks.BY_ROUTE.items()}


def _settings(
    live: Live, caller: Caller, effort: Effort, folder: Path, seed: int, phases: tuple[str, ...]
) -> dict[str, Any]:
    settings = copy.deepcopy(SETTINGS)
    settings["base-url"] = live.url
    settings["auth"] = caller.identities(folder)
    settings["checks"]["ScopesDecide"] = {"key": caller.key or "", "scopes": sorted(caller.scopes)}
    settings["generation"]["max-examples"] = effort.examples
    settings["phases"]["stateful"]["generation"] = {"max-examples": effort.scenarios}
    for phase in (*CALLS, *SEQUENCES):
        settings["phases"].setdefault(phase, {})["enabled"] = phase in phases
    settings["seed"] = seed
    return settings


def _with_examples_of(caller: Caller, value: Any) -> Any:
    if isinstance(value, list):
        return [_with_examples_of(caller, item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: caller.fixtures.translated(inner) if name == "examples" else _with_examples_of(caller, inner)
        for name, inner in value.items()
    }


@contextlib.contextmanager
def _touched_up(caller: Caller) -> Iterator[None]:
    """Two things that every request is held to before it is sent, since nothing behind them would be tested otherwise."""

    def before_call(context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]) -> None:
        # The coverage phase changes one thing at a time and leaves the operation key, under which all but the first
        # request would be CONFLICT: the key was used for another call.
        meta, name = case.meta, "Idempotency-Key"
        if (
            meta is not None
            and isinstance(meta.phase.data, CoveragePhaseData)
            and not meta.is_negative_at(ParameterLocation.HEADER)
            and name in case.headers
        ):
            case.headers[name] = f"case-{case.id}"
        # Whoever may revoke keys finds those of this campaign in the list of all, and all would be UNAUTHENTICATED then.
        if case.path_parameters.get("key_id") in caller.kept:
            case.path_parameters["key_id"] = "key_kept"

    GLOBAL_HOOK_DISPATCHER.hook(before_call)
    try:
        yield
    finally:
        GLOBAL_HOOK_DISPATCHER.unregister(before_call)
