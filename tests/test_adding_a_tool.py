"""A tool is one tool file, one path item and one method; whatever is forgotten stops codegen or the start, with the text
to add. Done here for real, on a copy of the contract."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOL = """\
title: Count memories
description: Say how many active memories the user has. Call it when the user asks how much is remembered.
family: recall
arguments: data
scopes: [memory:read]
annotations: {readOnlyHint: true, destructiveHint: false, openWorldHint: false}
annotation_justifications:
  readOnlyHint: Counts without changing application state.
  destructiveHint: Does not change application state.
  openWorldHint: Reads only the user's private records.
errors: []
inputSchema: {type: object, additionalProperties: false, properties: {}}
outputSchema:
  type: object
  description: The count.
  additionalProperties: false
  required: [count]
  properties:
    count: {type: integer, minimum: 0, description: How many active memories there are.}
examples:
  - {name: none yet, description: Nothing was stored., input: {}, output: {count: 0}}
"""
ROUTE = """\
/v1/memory-count:
  post:
    operationId: count_memories
    tags: [memories]
    summary: Count the memories
    requestBody:
      required: true
      content:
        application/json:
          schema: {$ref: ../tools/memories/count_memories.yaml#/inputSchema}
    responses:
      "200":
        description: The count.
        content:
          application/json:
            schema: {$ref: ../tools/memories/count_memories.yaml#/outputSchema}
"""
LISTED = '  /v1/memory-count: {$ref: "paths/memories.yaml#/~1v1~1memory-count"}\n'
METHOD = """

def count_memories(self, request, context):
    from tallystick_contract.models import CountMemoriesResponse

    return CountMemoriesResponse(count=len(context.unit.memories.page(limit=1000)))


Memories.count_memories = count_memories
"""
START = """
import pathlib, sys
from tallystick.app import create_app, endpoints_of
from tallystick.caller import Caller
from tallystick.settings import Settings
from tallystick.store import MiniLm, Store
from tallystick_contract.documents import load_tools
home = pathlib.Path(sys.argv[1])
store = Store.open(home, embedder=MiniLm())
try:
    endpoint = endpoints_of(create_app(Settings(home=home, strict=True), store))["count_memories"]
    print(endpoint({}, Caller("u", 1, "a", frozenset(["memory:read"]), None)).body.decode())
    print(sorted(tool["name"] for tool in load_tools() if tool["name"].startswith("count")))
finally:
    store.close()
"""


class Copy:
    """A copy of contract and server in which a tool is added bit by bit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("contracts", "generated", "server"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))

    def write_tool(self) -> None:
        (self.folder / "contracts/tools/memories/count_memories.yaml").write_text(TOOL, "utf-8")

    def write_route(self) -> None:
        with (self.folder / "contracts/paths/memories.yaml").open("a", encoding="utf-8") as file:
            file.write(ROUTE)
        with (self.folder / "contracts/openapi.yaml").open("a", encoding="utf-8") as file:
            file.write(LISTED)

    def write_method(self) -> None:
        with (self.folder / "server/tallystick/handlers/memories.py").open("a", encoding="utf-8") as file:
            file.write(METHOD)

    def codegen(self, *more: str) -> subprocess.CompletedProcess[str]:
        places = ["--contracts", str(self.folder / "contracts"), "--generated", str(self.folder / "generated")]
        return self._run([sys.executable, "-m", "codegen", *places, *more], ROOT)

    def start(self) -> subprocess.CompletedProcess[str]:
        return self._run([sys.executable, "-c", START, str(self.folder / "home")], self.folder)

    def _run(self, command: list[str], where: Path) -> subprocess.CompletedProcess[str]:
        folders = (self.folder / "server", self.folder / "generated", self.folder / "generated/python-client")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders))}
        return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_all_three(copy: Copy) -> None:
    copy.write_tool()
    copy.write_route()
    copy.write_method()
    done = copy.codegen()
    assert done.returncode == 0, done.stderr
    started = copy.start()
    assert started.returncode == 0, started.stderr
    assert started.stdout.splitlines() == ['{"count":0}', "['count_memories']"]


def test_without_the_path_item(copy: Copy) -> None:
    copy.write_tool()
    done = copy.codegen()
    assert done.returncode == 1
    assert "tool count_memories has no route; add a path item with `operationId: count_memories`" in done.stderr


def test_without_the_tool_file(copy: Copy) -> None:
    copy.write_route()
    done = copy.codegen()
    assert done.returncode == 1
    assert "tools/memories/count_memories.yaml" in done.stderr


def test_without_codegen(copy: Copy) -> None:
    copy.write_tool()
    copy.write_route()
    done = copy.codegen("--check")
    assert done.returncode == 1
    assert "generated/ is out of date; run `python -m codegen`" in done.stderr


def test_without_the_method(copy: Copy) -> None:
    copy.write_tool()
    copy.write_route()
    assert copy.codegen().returncode == 0
    started = copy.start()
    assert started.returncode != 0
    assert (
        "server/tallystick/handlers/memories.py: count_memories is in the contract and has no handler. Add:\n\n"
        "    def count_memories(self, request: CountMemoriesRequest, context: Context) -> CountMemoriesResponse:"
    ) in started.stderr
