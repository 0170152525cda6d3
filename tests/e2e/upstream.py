"""A stand-in for a server's /mcp: records what it is sent and answers as a test wants."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, str, bytes]


def result(body: dict[str, Any], value: dict[str, Any]) -> Answer:
    """A JSON-RPC result for a request."""
    return 200, "application/json", json.dumps({"jsonrpc": "2.0", "id": body.get("id"), "result": value}).encode()


class Seen:
    """One request as it came: headers (lower case), body, and when it began and ended."""

    def __init__(self, headers: dict[str, str], body: dict[str, Any]) -> None:
        self.headers = headers
        self.body = body
        self.began = time.monotonic()
        self.ended = 0.0


class Upstream:
    """An HTTP server on a loopback port; `answer` decides what each request gets."""

    def __init__(self, answer: Callable[[dict[str, Any]], Answer]) -> None:
        self.seen: list[Seen] = []
        seen, lock = self.seen, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                one = Seen({key.lower(): value for key, value in self.headers.items()}, body)
                with lock:
                    seen.append(one)
                status, kind, data = answer(body)
                one.ended = time.monotonic()
                if status == 0:  # the connection breaks
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/mcp"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
