"""What no schema can refuse: text that is no Unicode text, nesting without end, numbers that are none."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from tallystick_contract.errors import Code

from .problem import Problem

MAX_DEPTH = 64


def parse_json(body: bytes) -> Any:
    """Parse a request body.

    Raises:
        Problem: INVALID_PARAMS where the bytes are not JSON (RFC 8259) in UTF-8.
    """
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise Problem(Code.INVALID_PARAMS, f"The body is not UTF-8: byte {error.start} does not decode.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Problem(Code.INVALID_PARAMS, f"The body is not JSON: {error.msg} at {where}.") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:  # NaN and its kin, and integers of thousands of digits
        raise Problem(Code.INVALID_PARAMS, f"The body is not JSON that can be kept: {error}.") from None


def check_text(value: Any, pointer: str = "", depth: int = 0) -> None:
    """Refuse lone surrogates, NUL, infinite numbers and nesting deeper than 64 levels anywhere in `value`.

    `pointer` is the JSON pointer (RFC 6901) of `value`, and `depth` how many containers it lies in.

    Raises:
        Problem: INVALID_PARAMS naming the place.
    """
    if isinstance(value, str):
        if "\0" in value:
            raise _bad(pointer, "holds NUL (U+0000), which no text may hold")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise _bad(pointer, "holds a lone surrogate, which is not a character") from None
    elif isinstance(value, dict | list):
        if depth == MAX_DEPTH:
            raise _too_deep()
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(key, str):
                check_text(key, f"{pointer} (a member's name)", depth)
            check_text(item, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}", depth + 1)
    elif isinstance(value, float) and value - value != 0:
        raise _bad(pointer, "is not a number that JSON can carry")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _too_deep() -> Problem:
    return Problem(Code.INVALID_PARAMS, f"The JSON is nested deeper than {MAX_DEPTH} levels.")


def _bad(pointer: str, text: str) -> Problem:
    return Problem(
        Code.INVALID_PARAMS, f"{pointer.encode('utf-8', 'backslashreplace').decode() or 'The value'} {text}."
    )
