"""errors.py: the error catalogue as code."""

from __future__ import annotations

from codegen.ir import Contract
from codegen.text import HEADER, format_python

_HEAD = '''"""The error catalogue: every code that a call can answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """The code of an error, the same over REST and MCP."""

{codes}


@dataclass(frozen=True, slots=True)
class ErrorSpec:
    """What the catalogue says of one code; `message` and `next_action` are used where a call has nothing better."""

    code: Code
    status: int
    retryable: bool
    message: str
    next_action: str
    help: str


ERRORS: dict[Code, ErrorSpec] = {{
{specs}
}}
'''


def emit(contract: Contract) -> dict[str, str]:
    """Return errors.py."""
    codes = "\n".join(f"    {code} = {code!r}" for code in contract.errors)
    specs = "\n".join(
        f"    Code.{spec.code}: ErrorSpec(code=Code.{spec.code}, status={spec.status}, retryable={spec.retryable},"
        f" message={spec.message!r}, next_action={spec.next_action!r}, help={spec.help!r}),"
        for spec in contract.errors.values()
    )
    text = HEADER + _HEAD.format(codes=codes, specs=specs)
    return {"tallystick_contract/errors.py": format_python(text)}
