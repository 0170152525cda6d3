"""Conversations made at random, as each client would have written them: for what must hold of any file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

Records = list[dict[str, Any]]
TIME = "2026-05-29T09:00:00Z"


def claude_code(random: Random) -> Records:
    """Prompts that go on from anywhere, answers, results of tools that may come late, notes, compactions."""
    records: Records = []
    ids: list[str] = []
    calls: list[str] = []
    for number in range(random.randint(5, 40)):
        uuid, last, kind = f"r{number}", ids[-1] if ids else None, random.random()
        record: dict[str, Any] = {"type": "user", "uuid": uuid, "parentUuid": last, "timestamp": TIME}
        if kind < 0.35:
            if ids and random.random() < 0.4:
                record["parentUuid"] = random.choice([*ids, None])
            record["message"] = {"content": random.choice([f"prompt {uuid}", "<system-reminder>x</system-reminder>"])}
        elif kind < 0.6:
            record |= {"type": "assistant", "message": {"content": [{"type": "text", "text": f"answer {uuid}"}]}}
        elif kind < 0.75:
            calls.append(f"t{number}")
            block = {"type": "tool_use", "id": calls[-1], "name": random.choice(["Read", "mcp__t__recall_context"])}
            record |= {"type": "assistant", "message": {"content": [block]}}
        elif kind < 0.9:
            call = random.choice(calls) if calls else "unknown"
            result = {"type": "tool_result", "tool_use_id": call, "content": f"result {uuid}"}
            record["message"] = {"content": [result]}
        elif kind < 0.95:
            record |= {"type": "system", "subtype": "compact_boundary", "parentUuid": None, "logicalParentUuid": last}
        else:
            record |= {"isMeta": True, "message": {"content": "meta"}}
        records.append(record)
        ids.append(uuid)
    return records


def codex(random: Random) -> Records:
    """Texts that are often the same, each said twice, calls and their results, turns taken back."""

    def line(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": TIME, "type": kind, "payload": payload}

    records = [line("session_meta", id="codex-1", cwd="/w")]
    for _ in range(random.randint(3, 25)):
        kind, text = random.random(), random.choice(["yes", "no", "go on", f"text {random.random()}"])
        if kind < 0.4:
            content = [{"type": "input_text", "text": text}] if random.random() < 0.8 else [{"type": "input_image"}]
            said = text if content[0]["type"] == "input_text" else ""
            records.append(line("response_item", type="message", role="user", content=content))
            records.append(line("event_msg", type="user_message", message=said, images=[] if said else ["data:"]))
        elif kind < 0.7:
            records.append(line("event_msg", type="agent_message", message=text))
            content = [{"type": "output_text", "text": text}]
            records.append(line("response_item", type="message", role="assistant", content=content))
        elif kind < 0.8:
            name = random.choice(["shell", "recall_context"])
            records.append(line("response_item", type="function_call", name=name, call_id=name, arguments="{}"))
        elif kind < 0.88:
            call = random.choice(["shell", "recall_context"])
            records.append(line("response_item", type="function_call_output", call_id=call, output="out"))
        else:
            records.append(line("event_msg", type="thread_rolled_back", num_turns=random.randint(1, 4)))
    return records


def gemini(random: Random) -> Records:
    """Records that are written anew at once, later or after they were taken back, that may begin empty; rewinds."""
    records: Records = [{"sessionId": "gemini-1", "projectHash": "x"}]
    kinds: dict[str, str] = {}
    live: list[str] = []
    for number in range(random.randint(3, 30)):
        kind = random.random()
        if kind < 0.6 or not live:
            live.append(f"g{number}")
            kinds[live[-1]] = random.choice(["user", "gemini"])
            content = random.choice([f"said {number}", f"said {number}", ""])
            records.append({"id": live[-1], "type": kinds[live[-1]], "content": content})
        elif kind < 0.85:
            again = live[-1] if kind < 0.7 else random.choice(list(kinds))
            if again not in live:
                live.append(again)
            records.append({"id": again, "type": kinds[again], "content": f"again {number}"})
        else:
            target = random.choice(live)
            del live[live.index(target) :]
            records.append({"$rewindTo": target})
    return records


def copilot(random: Random) -> Records:
    """Prompts, answers with calls, results that may come late, rewinds."""
    records: Records = [{"type": "session.start", "id": "s0", "data": {"context": {"cwd": "/w"}}}]
    live: list[str] = []
    for number in range(random.randint(3, 30)):
        native, kind = f"p{number}", random.random()
        if kind < 0.35 or not live:
            records.append({"type": "user.message", "id": native, "data": {"content": f"prompt {native}"}})
        elif kind < 0.65:
            name = random.choice(["bash", "recall_context"])
            data: dict[str, Any] = {"content": f"answer {native}", "toolRequests": [{"toolCallId": name, "name": name}]}
            records.append({"type": "assistant.message", "id": native, "data": data})
        elif kind < 0.8:
            data = {"toolCallId": random.choice(["bash", "recall_context"]), "result": {"content": f"result {native}"}}
            records.append({"type": "tool.execution_complete", "id": native, "data": data})
        else:
            target = random.choice(live)
            del live[live.index(target) :]
            records.append({"type": "session.snapshot_rewind", "id": native, "data": {"upToEventId": target}})
            continue
        live.append(native)
    return records


def cursor(random: Random) -> Records:
    """Prompts and answers."""
    return [
        {"role": random.choice(["user", "assistant"]), "message": {"content": [{"type": "text", "text": f"said {n}"}]}}
        for n in range(random.randint(3, 20))
    ]


MADE: dict[str, tuple[str, Callable[[Random], Records]]] = {
    "claude-code": ("s-1.jsonl", claude_code),
    "codex": ("rollout-1.jsonl", codex),
    "gemini": ("chats/session-1.jsonl", gemini),
    "copilot": ("s-1/events.jsonl", copilot),
    "cursor": ("s-1.jsonl", cursor),
}
"""By client: where its file lies, and what makes its records."""


def written(folder: Path, client: str, random: Random) -> tuple[Path, list[bytes]]:
    """An empty file of a client, and the lines that are to be appended to it."""
    name, make = MADE[client]
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path, [json.dumps(record).encode() + b"\n" for record in make(random)]
