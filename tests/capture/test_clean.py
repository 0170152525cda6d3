"""What is taken out: injected blocks, answers of our own tools."""

from __future__ import annotations

import pytest
from tallystick.capture.clean import INJECTED, as_typed, is_memory_tool, strip_injected
from tallystick_contract.documents import load_tools


@pytest.mark.parametrize(
    ("text", "left", "count"),
    [
        ("plain <b>text</b>", "plain <b>text</b>", 0),
        ("<system-reminder>x</system-reminder>ask", "ask", 1),
        ("a\n<system-reminder>\nx\n</system-reminder>\n\n\n<task-notification>y</task-notification>\nb", "a\n\nb", 2),
        ('<tallystick-memory kind="facts">x</tallystick-memory> ask', "ask", 1),
        ("what is <system-reminder> for?", "what is <system-reminder> for?", 0),
        ("<system-reminders>x</system-reminders>", "<system-reminders>x</system-reminders>", 0),
        ("<system-reminder>a</system-reminder>b<system-reminder>c", "b<system-reminder>c", 1),
        ("<system-reminder>a <system-reminder>b</system-reminder> c</system-reminder>d", "d", 1),
        ("<system-reminder>a <system-reminder> b</system-reminder>c<system-reminder>d</system-reminder>", "c", 2),
        ("<system-reminder>use <system-reminder> tags</system-reminder>ask", "ask", 1),
        ("ask</system-reminder> <system-reminder\n>x</system-reminder >", "ask</system-reminder>", 1),
    ],
)
def test_strip_injected(text: str, left: str, count: int) -> None:
    assert strip_injected(text) == (left, count)


def test_stripping_stays_linear() -> None:
    opening, closing, many = "<system-reminder>", "</system-reminder>", 500_000
    for text in (opening * many + "<" * many, closing * many + opening, "<system-reminder " * many):
        assert strip_injected(text, INJECTED)[1] == 0
    assert strip_injected((opening * 2 + closing) * many, INJECTED) == ("", many)


def test_commands_as_typed() -> None:
    assert as_typed("<command-name>/model</command-name>\n<command-args></command-args>") == "/model"
    assert as_typed("<local-command-stdout>Set model</local-command-stdout>") == "Set model"
    assert as_typed("a < b") == "a < b"


@pytest.mark.parametrize(
    "name",
    [
        "recall_context", "mcp__tallystick__recall_context", "tallystick_store_context", "mcp_tallystick_memvault_search",
        "mcp-tallystick-recall_memory", "tallystick.memvault_session_read", "tallystick/update_user_facts",
    ],
)  # fmt: skip
def test_memory_tools_under_every_client_s_prefix(name: str) -> None:
    assert is_memory_tool(name)


@pytest.mark.parametrize("name", ["Read", "search_linear_issues", "mcp__github__search_code", "memvault", "recall"])
def test_other_tools(name: str) -> None:
    assert not is_memory_tool(name)


def test_every_tool_of_the_contract_is_judged() -> None:
    """A new tool is either memory, whose answers must not be captured, or it asks another system."""
    for tool in load_tools():
        asks_others = "linear" in tool["name"] or tool["name"].startswith("integration_")
        assert is_memory_tool(tool["name"]) != asks_others, (
            f"add {tool['name']} to MEMORY_TOOLS in server/tallystick/capture/clean.py"
        )
