"""Whatever a file holds and however it grew: runs that go on tell the same as one that reads it from its beginning."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tallystick.capture import CLIENTS, START

from .growing import MADE, written
from .told import Told


@pytest.mark.parametrize("client", MADE)
def test_any_growth_tells_the_same_as_one_reading(client: str, tmp_path: Path) -> None:
    read = CLIENTS[client].read
    for seed in range(150):
        random = Random(seed)
        path, lines = written(tmp_path, client, random)
        cuts = {*random.sample(range(len(lines)), min(len(lines), random.randint(1, 5))), len(lines)}
        told, mark = Told(), START
        for cut in sorted(cuts - {0}):
            path.write_bytes(b"".join(lines[:cut]))
            told.take(read(path, resume=mark))
            mark = told.marks[-1].resume
            whole = Told().take(read(path))
            assert told.texts() == whole.texts(), (seed, sorted(cuts), cut, path.read_text("utf-8"))
