"""handlers.py: one Protocol a group; a server is a class that has all of them."""

from __future__ import annotations

from codegen.ir import Contract, Op
from codegen.text import HEADER, first_sentence, format_python

_HEAD = '''"""What a server has to implement: one method an operation, one Protocol a group.

Methods are plain functions that run in a worker thread inside one unit of work; those that wait on other systems are
async and have none. `context` is the server's own type.
An operation that is split by the value of an argument has one method a branch: <operation>_<value>.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from tallystick_contract import models

ContextT = TypeVar("ContextT", contravariant=True)
'''


def emit(contract: Contract) -> dict[str, str]:
    """Return handlers.py."""
    groups = sorted({op.group for op in contract.operations})
    protocols = "\n\n".join(
        _protocol(
            group,
            contract.groups.get(group, ""),
            [part for op in contract.operations if op.group == group for part in op.parts],
        )
        for group in groups
    )
    members = "\n".join(
        f"    @property\n    def {group}(self) -> {class_name(group)}[ContextT]: ...\n" for group in groups
    )
    whole = f'class Handlers(Protocol[ContextT]):\n    """All groups; `bind` of a server takes this."""\n\n{members}'
    return {"tallystick_contract/handlers.py": format_python(f"{HEADER}{_HEAD}\n\n{protocols}\n\n{whole}")}


def class_name(group: str) -> str:
    """Return the Protocol's name: memories -> MemoriesHandlers."""
    return "".join(part.capitalize() for part in group.split("_")) + "Handlers"


def returns(op: Op, prefix: str = "models.") -> str:
    """Return the annotation of what the handler returns."""
    if op.response_kind == "text":
        return "str"
    return f"{prefix}{op.response_name}" if op.response_name else "dict[str, Any]"


def signature(op: Op, context: str = "ContextT", prefix: str = "models.") -> str:
    """Return the `def` line of the handler. One that waits on other systems is async: no transaction stays open."""
    keyword = "async def" if op.outside else "def"
    request = f"request: {prefix}{op.request_name}, context: {context}"
    return f"{keyword} {op.name}(self, {request}) -> {returns(op, prefix)}:"


def replay_signature(op: Op, context: str = "ContextT", prefix: str = "models.") -> str:
    """Return the `def` line of the method that renders a write's first answer again, from what was kept of it."""
    return f"def replay_{op.name}(self, answer: dict[str, Any], context: {context}) -> {returns(op, prefix)}:"


def has_replay(op: Op) -> bool:
    """Say whether the group needs replay_<operation>: parts of the answer are never kept."""
    return op.writes and bool(op.not_kept)


def _protocol(group: str, description: str, operations: list[Op]) -> str:
    lines = [f"class {class_name(group)}(Protocol[ContextT]):", f"    {_docstring(description or group)}", ""]
    for op in operations:
        lines += [f"    {signature(op)}", f"        {_docstring(op.description or op.summary)}", "        ...", ""]
        if has_replay(op):
            text = f"Render {op.name}'s first answer again; {', '.join(op.not_kept)} is not in `answer`."
            lines += [f"    {replay_signature(op)}", f"        {_docstring(text)}", "        ...", ""]
    return "\n".join(lines)


def _docstring(text: str) -> str:
    line = first_sentence(text)
    quoted = line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{quoted}{" " if quoted.endswith(chr(34)) else ""}"""'
