"""What one writer wrote: makes its next write, and keeps what must be there once that is acknowledged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from tallystick.recall.excerpt import first_paragraphs

from tests.torture.texts import WORD, Texts

KINDS = ("background", "preference", "knowledge", "summary")
ROLES = ("user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory as it was acknowledged last."""

    title: str
    summary: str
    body: str
    tags: tuple[str, ...]
    kind: str
    revision: str

    @property
    def words(self) -> set[str]:
        return set(WORD.findall(f"{self.title} {self.summary} {self.body}"))


@dataclass(slots=True)
class Talk:
    """A session as it was acknowledged last; messages by their ids, in order."""

    title: str
    messages: dict[str, str] = field(default_factory=dict)

    @property
    def words(self) -> set[str]:
        return set(WORD.findall(f"{self.title} {' '.join(self.messages.values())}"))


@dataclass(frozen=True, slots=True)
class Write:
    """One call that writes.

    Attributes:
        name: the operation.
        arguments: its arguments.
        keep: to be called with its answer.
    """

    name: str
    arguments: dict[str, Any]
    keep: Callable[[dict[str, Any]], None]


class Ledger:
    """The writes of one writer, which touches no other writer's records.

    Args:
        number: tells it apart from the others.
        seed: the same one makes the same writes.
        tools: only what there is an MCP tool for.

    Attributes:
        memories, talks: by id.
        erased, silenced: ids of memories and sessions that are gone.
        facts: its part of the user's facts document; None before its first write of them.
        done: acknowledged writes by operation; those in a batch count, the batch does not.
        words: every word that was ever acknowledged.
        forgotten: those of them that erased records held at any time.
    """

    def __init__(self, number: int, seed: int, *, tools: bool) -> None:
        self.number = number
        self.memories: dict[str, Kept] = {}
        self.talks: dict[str, Talk] = {}
        self.erased: set[str] = set()
        self.silenced: set[str] = set()
        self.facts: dict[str, str] | None = None
        self.done: Counter[str] = Counter()
        self.words: set[str] = set()
        self.forgotten: set[str] = set()
        self._held: dict[str, set[str]] = {}  # words by the record that ever held them
        self._random = Random(f"{seed}-{number}")
        self._texts = Texts(number, self._random)
        self._weights = {self._store: 30, self._create: 12, self._replace: 14, self._facts: 5}
        rest = {self._edit: 16, self._erase: 9, self._append: 11, self._capture: 4, self._silence: 1}
        self._weights |= {self._batch: 6} if tools else rest

    def next(self) -> Write:
        """The next write."""
        (make,) = self._random.choices(list(self._weights), list(self._weights.values()))
        return make()

    def _store(self) -> Write:
        title, body, tags = self._texts.line("Decided on"), self._texts.body(), self._texts.tags()
        arguments = {"summary": title, "context": body, "conversation_id": self._conversation(), "tags": list(tags)}

        def keep(answer: dict[str, Any]) -> None:
            made = Kept(title, title, body, tags, "summary", answer["revision"])
            self._keep("store_context", answer["memory_id"], made)

        return Write("store_context", arguments, keep)

    def _create(self) -> Write:
        return self._update({})

    def _replace(self) -> Write:
        return self._update({"id": self._one(self.memories)}) if self.memories else self._store()

    def _update(self, which: dict[str, str]) -> Write:
        title, body, tags, kind = (
            self._texts.line("About"),
            self._texts.body(),
            self._texts.tags(),
            self._random.choice(KINDS),
        )
        arguments = {**which, "kind": kind, "title": title, "body": body, "tags": list(tags)}

        def keep(answer: dict[str, Any]) -> None:
            made = Kept(title, first_paragraphs(body)[0], body, tags, kind, answer["revision"])
            self._keep("memvault_memory_update", answer["id"], made)

        return Write("memvault_memory_update", arguments, keep)

    def _edit(self) -> Write:
        if not self.memories:
            return self._store()
        memory_id = self._one(self.memories)
        every = {"title": self._texts.line("Now"), "summary": self._texts.line("In short"), "body": self._texts.body()}
        names = self._random.sample([*every, "tags"], self._random.randint(1, 4))
        given: dict[str, Any] = {name: every[name] for name in every if name in names}
        if "tags" in names:
            given["tags"] = self._texts.tags()

        def keep(answer: dict[str, Any]) -> None:
            made = replace(self.memories[memory_id], **given, revision=answer["revision"])
            self._keep("edit_memory", memory_id, made)

        return Write("edit_memory", {"memory_id": memory_id, **given}, keep)

    def _erase(self) -> Write:
        if not self.memories:
            return self._store()
        memory_id = self._one(self.memories)

        def keep(answer: dict[str, Any]) -> None:
            del self.memories[memory_id]
            self.erased.add(memory_id)
            self.forgotten |= self._held.pop(memory_id)
            self.done["erase_memory"] += 1

        return Write("erase_memory", {"memory_id": memory_id}, keep)

    def _batch(self) -> Write:
        calls = [self._store() for _ in range(self._random.randint(2, 4))]

        def keep(answer: dict[str, Any]) -> None:
            for call, carried in zip(calls, answer["results"], strict=True):
                call.keep(carried["result"])

        carried = [{"name": call.name, "arguments": call.arguments} for call in calls]
        return Write("memvault_batch", {"calls": carried}, keep)

    def _facts(self) -> Write:
        name = f"place{self._random.randint(1, 5)}"
        value = None if self._random.random() < 0.2 else self._texts.line("near")

        def keep(answer: dict[str, Any]) -> None:
            facts = {**(self.facts or {}), name: value}
            self.facts = {key: said for key, said in facts.items() if said is not None}
            self.done["update_user_facts"] += 1

        return Write("update_user_facts", {"facts_patch": {f"writer{self.number}": {name: value}}}, keep)

    def _capture(self) -> Write:
        title = self._texts.line("Session on")
        messages = self._texts.messages(self._random.randint(1, 6))
        arguments = {
            "session": f"native-{self.number}-{self._texts.said}",
            "title": title,
            "messages": _inputs(messages),
        }

        def keep(answer: dict[str, Any]) -> None:
            self._keep_talk("capture_session", answer, Talk(title, messages))

        return Write("capture_session", arguments, keep)

    def _append(self) -> Write:
        if not self.talks:
            return self._capture()
        session = self._one(self.talks)
        talk = self.talks[session]
        new = self._texts.messages(self._random.randint(1, 4))
        first, *others = talk.messages  # one always stays, so that the title has a message to be found by
        gone = self._random.sample(others, min(len(others), self._random.choice((0, 0, 1, 2))))
        changed = {first: self._texts.body()} if self._random.random() < 0.3 else {}
        arguments = {"session": session, "messages": _inputs(changed | new), "withdrawn": gone}

        def keep(answer: dict[str, Any]) -> None:
            stay = {key: said for key, said in talk.messages.items() if key not in gone}
            self._keep_talk("append_messages", answer, Talk(talk.title, stay | changed | new))

        return Write("append_messages", arguments, keep)

    def _silence(self) -> Write:
        if not self.talks:
            return self._capture()
        session = self._one(self.talks)

        def keep(answer: dict[str, Any]) -> None:
            del self.talks[session]
            self.silenced.add(session)
            self.forgotten |= self._held.pop(session)
            self.done["erase_session"] += 1

        return Write("erase_session", {"session": session}, keep)

    def _keep(self, name: str, memory_id: str, made: Kept) -> None:
        self.memories[memory_id] = made
        self._note(name, memory_id, made.words)

    def _keep_talk(self, name: str, answer: dict[str, Any], talk: Talk) -> None:
        assert answer["message_count"] == len(talk.messages), f"{name} answered {answer}, for {len(talk.messages)}"
        self.talks[answer["session"]] = talk
        self._note(name, answer["session"], talk.words)

    def _note(self, name: str, record: str, words: set[str]) -> None:
        self.words |= words
        self._held.setdefault(record, set()).update(words)
        self.done[name] += 1

    def _one(self, records: dict[str, Any]) -> str:
        return self._random.choice(list(records))

    def _conversation(self) -> str:
        return f"nc-torture-{self.number}-{self._texts.said // 50}"


def _inputs(messages: dict[str, str]) -> list[dict[str, str]]:
    return [
        {"id": key, "role": ROLES[number % len(ROLES)], "content": said}
        for number, (key, said) in enumerate(messages.items())
    ]
