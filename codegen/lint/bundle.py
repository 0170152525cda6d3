"""The OpenAPI document is one."""

from __future__ import annotations

from collections.abc import Iterator

from openapi_spec_validator import OpenAPIV31SpecValidator

from codegen.emit.openapi import document
from codegen.ir import Contract
from codegen.load import Source
from codegen.place import fault


def check(contract: Contract, source: Source) -> Iterator[str]:
    """Yield a message for each violation of OpenAPI 3.1."""
    for error in OpenAPIV31SpecValidator(document(contract)).iter_errors():
        pointer = "/".join(str(key) for key in error.absolute_path)
        yield fault("contracts/openapi.yaml", f"the bundled document is no OpenAPI 3.1: at {pointer}: {error.message}")
