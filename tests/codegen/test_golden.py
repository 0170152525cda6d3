"""Right contracts and exactly what comes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegen.changed import CASES
from tests.codegen.golden import expected, generated


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_output_is_what_is_expected(case: Path) -> None:
    found = generated(case)
    wanted = expected(case)
    assert list(found) == list(wanted)
    for name, text in wanted.items():
        assert found[name] == text, f"{case.name}/expected/{name} differs; see tests/codegen/golden.py"
