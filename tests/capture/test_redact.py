"""Secrets are taken out of what is captured, and nothing else is."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from tallystick.capture import CLIENTS
from tallystick.capture.redact import redact

from .told import HOME, Told

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
    ("google_key", "GOCSPX-" + A * 2),
    ("service_token", "dop_v1_" + "0a1b2c3d" * 8),
    ("service_token", "shpat_" + "0a1b2c3d" * 4),
    ("service_token", "dapi" + "0a1b2c3d" * 4),
    ("service_token", "sbp_" + "0a1b2c3d" * 5),
    ("private_key", "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2),
    ("api_key", "xai-" + A * 6),
    ("api_key", "gsk_" + A * 4),
    ("api_key", "pplx-" + A * 4),
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
        ("named_secret", "curl -H 'X-Api-Key: {}'", "k3yk3yk3yk3y"),
        ("authorization", "use bearer {} here", "0123456789abcdef"),
        ("url_password", "postgres://app:{}@db.local:5432/app", "s3cr3t!pass"),
        ("url_password", "redis://:{}@cache:6379", "hunter2"),
        ("env_secret", "export DB_PASSWORD={}", "correct-horse"),
        ("env_secret", "OPENAI_API_KEY='{}'", "whatever-it-is"),
        ("named_secret", "aws_secret_access_key = {}", "abcdefghijABCDEFGHIJ0123456789abcdefghij"),
        ("slack_token", "https://hooks.slack.com/services/{}", "T0000/B0000/aaaaaaaaaaaa"),
        ("env_secret", 'API_KEY = "{}"', "S0mething-with-words"),
        ("env_secret", '{{"API_KEY": "{}"}}', "S0mething-with-words"),
        ("env_secret", "PGPASSWORD={} psql", "abc123"),
        ("env_secret", "PGPASSWORD={} psql", "sunshine"),
        ("named_secret", "DB_PASSWORD: {}", "S3cr3tpass99"),
        ("named_secret", '{{"api_key": "{}"}}', A * 2),
        ("named_secret", '{{\\"password\\": \\"{}\\"}}', "S3cr3tpass99"),
        ("named_secret", "password={}", "S3cr3tpass99"),
        ("named_secret", "machine h login u password {}", "S3cretPw9"),
        ("named_secret", '"SessionToken": "{}"', "IQoJb3JpZ2luX2VjE" + A * 8 + "=="),
        ("named_secret", "//registry.npmjs.org/:_authToken={}", A * 3),
        ("named_secret", "AccountKey={};EndpointSuffix=core.windows.net", A * 7 + "=="),
        ("named_secret", "https://h/path?access_token={}&page=2", A),
        ("azure_key", "https://a.blob.core.windows.net/c?sv=2020&sig={}", A * 4 + "%3D"),
        ("service_token", "bot123456789:{}", "AA" + A * 2 + D[:9]),
        ("service_token", "MTA" + A + D + ".aB3dE5.{}", A * 3),
        ("service_token", "hvs.{}", A * 7),
        ("google_key", "ya29.{}", A * 5),
        ("service_token", "SG.{}", A + D + "." + A * 3),
        ("login", "curl -s -u admin:{} https://h/x", "S3cretPassw0rd"),
        ("login", "curl --user 'admin:{}' https://h/x", "correct-horse"),
        ("authorization", '{{"auths": {{"h": {{"auth": "{}"}}}}}}', "dXNlcjpwYXNzd29yZDEyMw=="),
        ("cookie", "-H 'Cookie: {}'", "theme=dark; session=" + A * 2),
        ("cookie", "Set-Cookie: {}", "sid=" + A * 2 + "; Path=/; HttpOnly"),
        ("url_password", "postgres://app:{}@db/app", "12345678"),
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
    numbered = "\n".join(f"{n:6}→{part}" for n, part in enumerate([begin, *body.split("\n")], 1))
    assert redact(numbered, counts) == "     1→[redacted:private_key]"
    tabbed = numbered.replace("→", "\t")
    assert redact(json.dumps(tabbed), counts) == '"     1\\t[redacted:private_key]"'
    locked = f"{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n{body}"
    assert redact(locked, counts) == "[redacted:private_key]"
    assert counts == {"private_key": 7}
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


def test_secrets_that_overlap_are_one() -> None:
    token = "ghp_" + A * 3
    counts: Counter[str] = Counter()
    for text in (
        "https://{}@github.com/x",
        "https://me:{}@github.com/x",
        "Authorization: Bearer {}",
        "GITHUB_TOKEN={}",
    ):
        assert redact(text.format(token), counts) == text.format("[redacted:github_token]")
    assert counts == {"github_token": 4}
    assert redact(f"Cookie: a={token}; b=other", Counter()) == "Cookie: [redacted:cookie]"


def test_a_page_of_ordinary_text_and_code_loses_nothing() -> None:
    counts: Counter[str] = Counter()
    page = (HOME.parent / "ordinary.md").read_text("utf-8")
    assert redact(page, counts) == page, counts
    for root in ("server", "contracts", "codegen"):
        for path in (Path(__file__).parents[2] / root).rglob("*"):
            if path.suffix in (".py", ".yaml", ".md", ".sql"):
                text = re.sub(r"lin_api_\w+", "KEY", path.read_text("utf-8"))  # the contract's examples show keys
                assert redact(text, counts) == text, (path, counts)


def test_letters_whose_small_form_is_longer() -> None:
    assert redact("İİİİ password: S3cr3tpass99 İ", Counter()) == "İİİİ password: [redacted:named_secret] İ"


def test_folders_and_names_of_tools_are_redacted(tmp_path: Path) -> None:
    secret = "ghp_" + A * 3
    call = {"type": "tool_use", "id": "t1", "name": f"run_{secret}", "input": {}}
    record = {"type": "assistant", "uuid": "a1", "cwd": f"/work/{secret}/x", "message": {"content": [call]}}
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(record) + "\n", "utf-8")
    told = Told().take(CLIENTS["claude-code"].read(path))
    assert told.sessions["s"].cwd == "/work/[redacted:github_token]/x"
    assert told.lines() == ["assistant: [tool run_[redacted:github_token]]"]


def test_a_secret_that_is_cut_off_is_none_the_less_redacted(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "x" * 1990 + " ghp_" + A * 3}
    path.write_text(json.dumps({"type": "user", "uuid": "u1", "message": {"content": [result]}}) + "\n", "utf-8")
    assert "ghp_" not in Told().take(CLIENTS["claude-code"].read(path)).lines()[0]


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PRIVATE " + "KEY-----" + "A" * 300_000, "://" * 100_000, "sk-" * 100_000, "sk-" + "a-" * 100_000,
        "eyJ" * 100_000, "Authorization: " * 20_000, "SG." * 100_000, "TOKEN=" * 50_000, "-----BEGIN PRIVATE KEY-----\n" * 500,
        "curl " * 100_000, "cookie: a=" + "b" * 300_000, "cookie:a=bcdefgh " * 50_000, "eyJ-" * 100_000, "api_key " * 100_000,
        "curl -u a:" + "b" * 300_000, "secret_" * 100_000, "A" * 300_000 + "." * 300_000,
    ],
    ids=range(17),
)  # fmt: skip
def test_no_text_makes_it_slow(text: str) -> None:
    """Where the time grew with the square of the length, these would run into the time limit of all tests."""
    redact(text * 5, Counter())
