"""Step 4: the emitters. Each is a module with `emit(contract) -> {path below generated/: text}`."""

from __future__ import annotations

from collections.abc import Callable

from codegen.emit import (
    client,
    documents,
    errors,
    handlers,
    help,
    linear,
    models,
    openapi,
    operations,
    reference,
    schemas,
    tools,
)
from codegen.ir import Contract

EMITTERS: tuple[Callable[[Contract], dict[str, str]], ...] = (
    models.emit,
    errors.emit,
    operations.emit,
    handlers.emit,
    schemas.emit,
    openapi.emit,
    tools.emit,
    documents.emit,
    help.emit,
    linear.emit,
    client.emit,
    reference.emit,
)


def emit_all(contract: Contract) -> dict[str, str]:
    """Return every generated file by its path below generated/, sorted."""
    files: dict[str, str] = {}
    for emit in EMITTERS:
        files.update(emit(contract))
    return dict(sorted(files.items()))
