"""The stdio bridge: JSON-RPC lines in, the same messages over HTTP to the owner's /mcp, its answers as lines out.

Every MCP client starts one of these, so it imports the standard library only and holds nothing but connections. Reads
run side by side; a tool call is sent on only after the earlier calls of tools that write are answered.
"""

from __future__ import annotations

import concurrent.futures
import functools
import http.client
import importlib.util
import json
import os
import threading
import unicodedata
import urllib.parse
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

from ..home import HomeInvalid
from ..owner import OwnerMissing
from .forward import Forwarder, Lost, NotSent, Received, Reply
from .stdio import Broken, Message, failure, read

PARALLEL = 16
WAITING = 64
"""Messages read ahead of their answers; beyond it standard input is left to wait."""

LAST_ANSWERS = 30.0
"""Seconds that answers in flight are waited for after the end of input."""

HANDSHAKE_VERSION = "2025-11-25"
SERVER_ERROR = -32000  # the first of JSON-RPC's codes for a server's own errors

KEY = "operation_key"
META = "io.modelcontextprotocol/"
AGENT_HEADER = "X-Tallystick-Agent"
SESSION_HEADER = "X-Tallystick-Session"
EXTENDED = "UTF-8''"  # in front of a value that is percent-encoded (RFC 8187, 3.2)


class Bridge:
    """Carries messages between one client's pipes and a server.

    Args:
        forwarder: where messages go.
        output: where answers go, one line each.
        named: whether the agent's name was given; otherwise it is what the client calls itself.
    """

    def __init__(self, forwarder: Forwarder, output: BinaryIO, *, named: bool) -> None:
        self._forwarder = forwarder
        self._output = output
        self._writing = threading.Lock()
        self._named = named
        self._version: str | None = None
        self._handshake: list[Future[None]] = []
        self._writes: list[Future[None]] = []

    def run(self, lines: BinaryIO) -> bool:
        """Serve until the end of input.

        Returns:
            Whether every request was answered; False if some answer did not come within 30 seconds after the end.
        """
        room = threading.Semaphore(WAITING)
        pool = ThreadPoolExecutor(PARALLEL, thread_name_prefix="forward")
        open_calls: set[Future[None]] = set()
        for item in read(lines):
            if isinstance(item, Broken):
                self._write(item.answer)
                continue
            room.acquire()
            future = self._start(pool, item)
            open_calls.add(future)
            future.add_done_callback(lambda _: room.release())
            open_calls = {call for call in open_calls if not call.done()}
        _, unanswered = concurrent.futures.wait(open_calls, LAST_ANSWERS)
        pool.shutdown(wait=False, cancel_futures=True)
        return not unanswered

    def ask(self, message: Message) -> dict[str, Any]:
        """Send one request and give its answer, an error among them, as a JSON-RPC object."""
        answer: dict[str, Any] = json.loads(self._answers(message)[-1])
        return answer

    def _start(self, pool: ThreadPoolExecutor, message: Message) -> Future[None]:
        # Whoever pipes a whole session in at once does not wait for initialize; what follows it depends on its outcome.
        before = [*self._handshake, *(self._writes if message.method == "tools/call" else ())]
        future = pool.submit(self._handle, message, [call for call in before if not call.done()])
        if message.method == "initialize":
            self._handshake = [future]
        elif writes(message):
            self._writes = [*(call for call in self._writes if not call.done()), future]
        return future

    def _handle(self, message: Message, before: list[Future[None]]) -> None:
        concurrent.futures.wait(before)
        for line in self._answers(message):
            self._write(line)

    def _answers(self, message: Message) -> list[bytes]:
        """The lines to write for one message: none for a notification, else those up to its answer."""
        if not message.method:
            return []  # an answer of the client to a question this server never asks
        self._learn_agent(message)
        message = keyed(message)
        try:
            reply = self._forwarder.send(message, self._version_of(message), repeatable=repeatable(message))
            lines = self._lines(message, reply)
        except Lost as error:
            lines = [failure(message.id, SERVER_ERROR, _lost(message, error))]
        except (NotSent, OwnerMissing, HomeInvalid) as error:
            lines = [failure(message.id, SERVER_ERROR, str(error))]
        except Exception as error:  # whatever happened, the client waits for an answer to this id
            # Its text may hold what was sent, the key among it, so that only its kind is told.
            lines = [failure(message.id, SERVER_ERROR, f"The bridge failed on this message: {type(error).__name__}.")]
        return lines if message.is_request else []

    def _lines(self, message: Message, reply: Reply) -> list[bytes]:
        answered = [item for item in reply.messages if item.answers(message.id)]
        if message.method == "initialize" and answered:
            self._agree(answered[-1].value)
        if answered:
            return [_line(item) for item in reply.messages]
        if reply.messages and "error" in reply.messages[-1].value:
            # Refused before its id was read; the client still waits for that id.
            error = {**reply.messages[-1].value, "id": message.id}
            return [json.dumps(error).encode()]
        return [failure(message.id, SERVER_ERROR, _refusal(reply))]

    def _agree(self, answer: dict[str, Any]) -> None:
        version = answer.get("result", {}).get("protocolVersion")
        if isinstance(version, str):
            self._version = version

    def _version_of(self, message: Message) -> str | None:
        meta = message.params.get("_meta")
        asked = meta.get(f"{META}protocolVersion") if isinstance(meta, dict) else None
        if isinstance(asked, str):
            return asked
        return None if message.method == "initialize" else self._version or HANDSHAKE_VERSION

    def _learn_agent(self, message: Message) -> None:
        if self._named:
            return
        meta = message.params.get("_meta")
        info = message.params.get("clientInfo") if message.method == "initialize" else None
        if info is None and isinstance(meta, dict):
            info = meta.get(f"{META}clientInfo")
        name = info.get("name") if isinstance(info, dict) else None
        if isinstance(name, str):
            self._forwarder.identity = {**self._forwarder.identity, **identity(AGENT_HEADER, name)}

    def _write(self, line: bytes) -> None:
        with self._writing:
            try:
                self._output.write(line + b"\n")
                self._output.flush()
            except (BrokenPipeError, ValueError):
                pass  # the client has gone; what it asked for is still carried to its end


def plain_name(text: str) -> str:
    """A name of an agent or a session as the contract has it: at most 128 characters, none of them a slash, a control
    character or half a surrogate pair. Empty where nothing is left."""
    kept = "".join(c for c in text if c != "/" and unicodedata.category(c) not in ("Cc", "Cs"))
    return kept.strip()[:128].strip()


def identity(header: str, text: str) -> dict[str, str]:
    """The header that tells a server a name, none for a blank one. What is not ASCII goes as RFC 8187 has it."""
    name = plain_name(text)
    plain = name.isascii() and not name.startswith(EXTENDED)
    return {header: name if plain else EXTENDED + urllib.parse.quote(name, safe="")} if name else {}


def told(value: str) -> str:
    """The name in a value of such a header; empty where it is blank."""
    return plain_name(urllib.parse.unquote(value.removeprefix(EXTENDED)) if value.startswith(EXTENDED) else value)


@functools.cache
def reading_tools() -> frozenset[str]:
    """Names of the contract's tools that only read. Those of another version, unknown here, count as writing."""
    return frozenset(tool["name"] for tool in _tools() if tool["annotations"]["readOnlyHint"])


@functools.cache
def keyed_tools() -> frozenset[str]:
    """Names of the contract's tools that take an operation key."""
    return frozenset(tool["name"] for tool in _tools() if KEY in tool["inputSchema"]["properties"])


def _tools() -> list[dict[str, Any]]:
    found = importlib.util.find_spec("tallystick_contract")
    folder = next(iter(found.submodule_search_locations or ())) if found else ""
    tools: list[dict[str, Any]] = json.loads(Path(folder, "tools.json").read_bytes())
    return tools


def writes(message: Message) -> bool:
    """Whether a message may change what is stored."""
    return message.method == "tools/call" and _tool(message) not in reading_tools()


def _tool(message: Message) -> str | None:
    name = message.params.get("name")
    return name if isinstance(name, str) else None  # anything else is no tool, and the server refuses it


def keyed(message: Message) -> Message:
    """A call that writes, with an operation key where it brought none: it can then be sent again, and is done once."""
    arguments = message.params.get("arguments", {})
    if not writes(message) or _tool(message) not in keyed_tools() or not isinstance(arguments, dict):
        return message
    if arguments.get(KEY) is not None:  # null is no key to the server either
        return message
    params = {**message.params, "arguments": {**arguments, KEY: f"bridge-{os.urandom(16).hex()}"}}
    whole = {"jsonrpc": "2.0", "id": message.id, "method": message.method, "params": params}
    try:
        body = json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:  # half a surrogate pair, or a number without end: the server refuses it as it stands
        return message
    return Message(body, message.method, params, message.id)


def repeatable(message: Message) -> bool:
    """Whether a message may be sent twice and happens once."""
    if not writes(message):
        return True
    arguments = message.params.get("arguments")
    given = arguments.get(KEY) if isinstance(arguments, dict) else None
    return given is not None and _tool(message) in keyed_tools()


def _line(item: Received) -> bytes:
    return item.text if b"\n" not in item.text and b"\r" not in item.text else json.dumps(item.value).encode()


def _lost(message: Message, error: Lost) -> str:
    if not writes(message):
        return f"The connection to the server broke: {error}. Call again."
    what = "The connection to the server broke while this call was under way"
    if repeatable(message):
        key = json.dumps(message.params["arguments"][KEY])
        todo = f"Look for its result, or call again with {KEY} {key}: then it is done once."
    else:
        todo = f"Look for its result before calling again, and give writes an {KEY}, which makes repeating them safe."
    return f"{what}: {error}. It may or may not have been done. {todo}"


def _refusal(reply: Reply) -> str:
    """What a server said that is no JSON-RPC: its REST error where it has one, and what to do."""
    if reply.status == http.client.UNAUTHORIZED:
        return (
            "The server does not accept the key (HTTP 401). For the server of this machine leave --url away; for a "
            "remote one, put a key that it made (tallystick keys create) into TALLYSTICK_API_KEY."
        )
    try:
        error = json.loads(reply.body)["error"]
        return f"{error['message']} {error['next_action']}"
    except (ValueError, LookupError, TypeError):
        if reply.status >= http.client.INTERNAL_SERVER_ERROR:
            return f"The server failed on this call (HTTP {reply.status}); its log says why. Trying again may help."
        return f"The server answered HTTP {reply.status} and no JSON-RPC. Is this the address of a Tallystick server?"
