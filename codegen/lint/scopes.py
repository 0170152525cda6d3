"""Scopes: every operation says who may call it, in scopes that are described."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.ir import Contract
from codegen.lint.sites import routes
from codegen.load import Source
from codegen.operation import tool_place
from codegen.place import fault


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each unknown scope and each operation that does not say whether it needs one."""
    for op in contract.operations:
        for scope in op.all_scopes:
            if scope not in contract.scopes:
                known = ", ".join(contract.scopes)
                yield fault(
                    str(op.source),
                    f"{op.name} needs scope {scope}, which is unknown ({known}); add it to x-scopes of openapi.yaml",
                )
        if op.public and op.all_scopes:
            yield fault(str(op.route_source), f"{op.name} is public and needs scopes; take one of the two out")
    listed = contract.defs.get("Scope", {}).get("enum")
    if listed is not None and listed != list(contract.scopes):
        yield fault(
            "schemas",
            f"the enum of Scope ({', '.join(listed)}) is not the list of x-scopes in openapi.yaml"
            f" ({', '.join(contract.scopes)}); make them the same, in the same order",
        )
    for place, route in routes(source):
        name = str(route.get("operationId"))
        tool = tool_place(source, name)
        said = (
            bool({"scopes", "branches"} & set(source.at(tool)))
            if tool
            else "x-scopes" in route or route.get("security") == []
        )
        if not said:
            key = "scopes" if tool else "x-scopes"
            yield fault(
                tool or place,
                f"{name} does not say who may call it; add `{key}: [...]`, empty where any key will do"
                + ("" if tool else ", or `security: []` where it is public"),
            )
