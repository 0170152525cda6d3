"""--stub: the handler method of an operation or of one of its branches, ready to paste."""

from __future__ import annotations

from codegen.emit.handlers import class_name, has_replay, replay_signature, signature
from codegen.ir import Contract, Op
from codegen.text import first_sentence, format_python

HANDLERS = "server/tallystick/handlers"


def stub(contract: Contract, name: str) -> str:
    """Return where the method belongs, as a comment, and the method; all of them for an operation that is split.

    `name` is an operation's or, for one branch, its handler's. Raises KeyError for any other.
    """
    found = [part for op in contract.operations for part in op.parts if name in (op.name, part.name)]
    if not found:
        raise KeyError(name)
    classed = format_python("\n".join(["class _:", *(line for op in found for line in _method(op))]))
    method = classed.partition("\n")[2].lstrip("\n")
    group = found[0].group
    where = f"# {HANDLERS}/{group}.py, in the class that is the {class_name(group)} of this server\n"
    return where + method


def _method(op: Op) -> list[str]:
    text = first_sentence(op.description).replace("\\", "\\\\").replace('"', "'")
    lines = [f"    {signature(op, 'Context')}", f'        """{text}"""', "        raise NotImplementedError"]
    if has_replay(op):
        lines += [
            f"    {replay_signature(op, 'Context')}",
            f'        """Render the first answer of {op.name} again."""',
            "        raise NotImplementedError",
        ]
    return lines
