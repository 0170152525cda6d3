"""--stub: the handler method of an operation, ready to paste."""

from __future__ import annotations

from codegen.emit.handlers import class_name, has_replay, replay_signature, signature
from codegen.ir import Contract, Op
from codegen.text import first_sentence, format_python

HANDLERS = "server/tallystick/handlers"


def stub(contract: Contract, name: str) -> str:
    """Return where the method belongs, as a comment, and the method. Raises KeyError for an unknown operation."""
    op = contract.operation(name)
    classed = format_python("\n".join(["class _:", *_method(op)]))
    method = classed.partition("\n")[2].lstrip("\n")
    where = f"# {HANDLERS}/{op.group}.py, in the class that is the {class_name(op.group)} of this server\n"
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
