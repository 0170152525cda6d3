"""Run the tests' Linear on this machine, to try the tools without an account: python -m tests.linear."""

from __future__ import annotations

import argparse
import contextlib
import threading

from tests.linear.server import LinearServer, Received

TEXT = """\
A Linear for trying things out, with made-up data in memory: {url}

Let Tallystick know it, and connect its two organizations (the keys are of no use anywhere else):

  export TALLYSTICK_LINEAR_URL={url}
  echo {AV} | tallystick linear connect AV
  echo {JL} | tallystick linear connect JL

Then start the server from the same shell, or restart the one that runs, and ask an agent for the issue NC-103 of AV.
Each request is shown below. Ctrl+C ends it, and what was changed is gone.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.linear", description=__doc__)
    parser.add_argument("--port", type=int, default=8766, help="port to listen on; 0 takes a free one (default: 8766)")
    with LinearServer(parser.parse_args().port, told=_show) as linear, contextlib.suppress(KeyboardInterrupt):
        print(TEXT.format(url=linear.url, **linear.keys), flush=True)
        threading.Event().wait()


def _show(request: Received) -> None:
    print(f"{request.workspace}  {request.operation}  {request.status or 'connection closed'}", flush=True)


if __name__ == "__main__":
    main()
