"""What is taken out: injected blocks, answers of our own tools, secrets."""

from __future__ import annotations

import json
import time
from collections import Counter

import pytest
from tallystick.capture.clean import INJECTED, as_typed, is_memory_tool, strip_injected
from tallystick.capture.redact import redact
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


A, D = "aB3dE5gH7jK9", "0123456789"
SECRETS = [
    ("api_key", "sk-" + A * 4),
    ("api_key", "sk-proj-" + A * 3 + "_" + A + "-x"),
    ("api_key", "sk-ant-api03-" + A * 7 + "-AA"),
    ("api_key", "sk-" + "0a1b2c3d" * 4),
    ("tallystick_key", "tsk_" + "a1b2c3d4_" + A * 3),
    ("github_token", "ghp_" + A * 3),
    ("github_token", "github_pat_" + A * 5),
    ("gitlab_token", "glpat-" + A + "x-yz9_ab"),
    ("aws_key", "AKIA" + "ABCDEFGH12345678"),
    ("slack_token", "xoxb-" + D + "-" + A),
    ("stripe_key", "sk_live_" + A * 2),
    ("google_key", "AIza" + "x" * 35),
    ("service_token", "hf_" + A * 3),
    ("service_token", "lin_api_" + A * 4),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + A),
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_secrets_by_their_form(kind: str, secret: str) -> None:
    for before, after in (("", ""), ("key: ", " end"), ('{"k":"', '"}'), ("(", ")."), ("x\\n", "\\n"), ("用户", "。")):
        counts: Counter[str] = Counter()
        assert redact(f"{before}{secret}{after}", counts) == f"{before}[redacted:{kind}]{after}"
        assert counts == {kind: 1}


@pytest.mark.parametrize(
    ("kind", "text", "secret"),
    [
        ("authorization", "Authorization: Bearer {}", "abc123.def456-ghi"),
        ("authorization", '"authorization": "Basic {}"', "dXNlcjpwYXNzd29yZDEyMw=="),
        ("authorization", "curl -H 'X-Api-Key: {}'", "k3yk3yk3yk3y"),
        ("authorization", "use bearer {} here", "0123456789abcdef"),
        ("url_password", "postgres://app:{}@db.local:5432/app", "s3cr3t!pass"),
        ("url_password", "redis://:{}@cache:6379", "hunter2"),
        ("env_secret", "export DB_PASSWORD={}", "correct-horse"),
        ("env_secret", "OPENAI_API_KEY='{}'", "whatever-it-is"),
        ("aws_secret", "aws_secret_access_key = {}", "abcdefghijABCDEFGHIJ0123456789abcdefghij"),
        ("slack_token", "https://hooks.slack.com/services/{}", "T0000/B0000/aaaaaaaaaaaa"),
    ],
)
def test_secrets_by_their_place(kind: str, text: str, secret: str) -> None:
    counts: Counter[str] = Counter()
    assert redact(text.format(secret), counts) == text.format(f"[redacted:{kind}]")
    assert counts == {kind: 1}


def test_private_keys() -> None:
    body = "\n".join(["MIIEpAIBAAKCAQEA" * 4] * 12)
    begin, end = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
    counts: Counter[str] = Counter()
    assert redact(f"a\n{begin}\n{body}\n{end}\nb", counts) == "a\n[redacted:private_key]\nb"
    assert redact(json.dumps({"k": f"{begin}\n{body}\n{end}\n"}), counts) == '{"k": "[redacted:private_key]\\n"}'
    assert redact(f"cut: {begin}\n{body}", counts) == "cut: [redacted:private_key]"
    assert redact(f"{begin}\nProc-Type: 4,ENCRYPTED\n\n{body}\n{end}", counts) == "[redacted:private_key]"
    assert counts == {"private_key": 4}
    assert redact(f"a file that begins with `{begin}`, say", counts).count("BEGIN") == 1


@pytest.mark.parametrize(
    "text",
    [
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "session 11111111-1111-4111-8111-111111111111",
        "class sk-loading-spinner-container-wrapper",
        "task-management-and-scheduling-2026-overview",
        "Authorization: Bearer $TOKEN",
        "bearer authentication is used",
        "postgres://app:${PASSWORD}@db/app",
        "https://example.com:8080/a@b",
        "MAX_TOKENS=200000000",
        "TOKEN=12345678",
        "API_KEY=<your key here>",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "sha512-abcdefABCDEF0123456789abcdefABCDEF0123456789==",
    ],
)
def test_what_is_no_secret(text: str) -> None:
    counts: Counter[str] = Counter()
    assert redact(text, counts) == text
    assert not counts


def test_redacting_twice_changes_nothing_more() -> None:
    text = "\n".join(
        [s for _, s in SECRETS] + ["postgres://a:b1@c", "X_TOKEN=abcdefgh1", "Authorization: Bearer abc123abc123x"]
    )
    once = redact(text, Counter())
    counts: Counter[str] = Counter()
    assert redact(once, counts) == once
    assert not counts


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PRIVATE " + "KEY-----" + "A" * 300_000, "://" * 100_000, "sk-" * 100_000, "sk-" + "a-" * 100_000,
        "eyJ" * 100_000, "Authorization: " * 20_000, "SG." * 100_000, "TOKEN=" * 50_000, "-----BEGIN PRIVATE KEY-----\n" * 500,
    ],
    ids=range(9),
)  # fmt: skip
def test_no_text_makes_it_slow(text: str) -> None:
    start = time.perf_counter()
    redact(text, Counter())
    assert time.perf_counter() - start < 3
