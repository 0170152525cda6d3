"""How a memory is cut into the texts that get a vector each."""

from __future__ import annotations

from tallystick.store.split import SENTENCES, split


def windows(text: str) -> list[tuple[int, int]]:
    return [(start, min(len(text), start + 500)) for start in range(0, max(1, len(text)), 400)]


def texts(title: str, summary: str, body: str) -> list[str]:
    return [part.text for part in split(title, summary, body, windows)]


def test_a_turn_of_talk() -> None:
    said = "Caroline: I went to a group. It was so great!"
    assert texts(said, said, f"[8 May, 2023] {said}") == [
        said,
        "Caroline: I went to a group.",
        "Caroline: It was so great!",
    ]


def test_title_in_front_of_sentences() -> None:
    assert texts("Chose Prisma", "Chose Prisma", "Drizzle was close. 需要处理一下这个问题。再看") == [
        "Chose Prisma\nDrizzle was close. 需要处理一下这个问题。再看",
        "Chose Prisma",
        "Chose Prisma: Drizzle was close.",
        "Chose Prisma: 需要处理一下这个问题。 再看",
    ]


def test_a_long_body_has_windows_that_cover_it() -> None:
    body = " ".join(f"Sentence number {i} says something." for i in range(200))
    parts = split("Title", "Summary of it.", body, windows)
    heads = [part for part in parts if part.head]
    rest = [part for part in parts if not part.head]
    assert [part.number for part in parts] == list(range(len(parts)))
    assert len(heads) <= SENTENCES + 1
    assert heads[0].text == f"Title\nSummary of it.\n{body}"
    covered: set[int] = set()
    for part in rest:
        start, end = map(int, part.span.split("-"))
        assert part.text == f"Title\n{body[start:end]}"
        covered.update(range(start, end))
    assert covered == set(range(len(body)))


def test_a_short_body_has_none() -> None:
    assert all(part.head and part.span == "" for part in split("T", "T", "short", windows))


def test_nothing_twice_and_nothing_empty() -> None:
    assert texts("Same", "Same", "Same") == ["Same"]
    assert texts("", "", "...\n---\n") == ["...\n---"]
    assert texts("", "", "") == []
