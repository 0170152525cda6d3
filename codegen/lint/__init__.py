"""Step 3: rules of the contract, one a file.

Each rule yields messages: the place, what is wrong, what to add. Rules over the files alone come first, since a broken
reference or schema would confuse the others. The meta-schemas come last: they say less clearly what the rules say well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from codegen.ir import Contract
from codegen.lint import (
    advertised,
    branches,
    bundle,
    closed,
    codes,
    descriptions,
    examples,
    fixtures,
    groups,
    hints,
    items,
    keys,
    meta,
    names,
    objects,
    refs,
    routes,
    schemas,
    scopes,
    sizes,
    validity,
)
from codegen.load import Source

FILE_RULES: tuple[Callable[[Source], Iterator[str]], ...] = (refs.check, schemas.check)
CONTRACT_RULES: tuple[Callable[[Contract, Source], Iterator[str]], ...] = (
    names.check,
    groups.check,
    routes.check,
    objects.check,
    closed.check,
    items.check,
    descriptions.check,
    hints.check,
    keys.check,
    codes.check,
    scopes.check,
    branches.check,
    sizes.check,
    examples.check,
    validity.check,
    fixtures.check,
)
# Rules over what would be emitted; of a contract that breaks the others they would only say the same again.
OUTPUT_RULES: tuple[Callable[[Contract, Source], Iterator[str]], ...] = (advertised.check, bundle.check)


def lint_files(source: Source) -> list[str]:
    """Return the messages of the rules over the files alone."""
    return [message for rule in FILE_RULES for message in rule(source)]


def lint_meta(source: Source) -> list[str]:
    """Return where files break the meta-schema of their kind."""
    return list(meta.check(source))


def lint(contract: Contract, source: Source) -> list[str]:
    """Return the messages of the other rules."""
    messages = [message for rule in CONTRACT_RULES for message in rule(contract, source)]
    return messages or [message for rule in OUTPUT_RULES for message in rule(contract, source)]
