"""Names that operations give to models, and what an answer says of itself."""

from __future__ import annotations

from codegen.ir import Schema


def pascal(name: str) -> str:
    """Return the class name of an operation: recall_memory -> RecallMemory."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def not_kept(output: Schema | None) -> tuple[str, ...]:
    """Return the properties of an answer that an operation row never keeps."""
    properties = (output or {}).get("properties", {})
    return tuple(name for name, schema in properties.items() if schema.get("x-not-kept") is True)
