"""A dozen memories such as a working week leaves behind."""

from __future__ import annotations

from typing import TypedDict


class Sample(TypedDict):
    summary: str
    context: str
    conversation_id: str
    tags: list[str]


QUESTION = "Which database did we settle on for the online shop, and why?"

MEMORIES: tuple[Sample, ...] = (
    Sample(
        summary="Decided on PostgreSQL 15 with Prisma ORM for the e-commerce API.",
        context="Evaluated Prisma and Drizzle. Prisma won for its migration tooling and because the team knows it. "
        "DATABASE_URL is in .env; the schema lives in prisma/schema.prisma.",
        conversation_id="nc-ecommerce-db-20260529",
        tags=["database", "decision"],
    ),
    Sample(
        summary="Moved release OC-41252 to 2026-03-14 because the payment sandbox was down.",
        context="The sandbox answered 503 from 09:10 to 16:40 UTC. Check https://sandbox.example/health first.",
        conversation_id="nc-release-20260306",
        tags=["release"],
    ),
    Sample(
        summary="Restore drill of the staging database took 41 minutes.",
        context="pg_restore with four jobs. Indexes were slow: build them after the data. Repeat it for production.",
        conversation_id="nc-restore-20260412",
        tags=["database", "checkpoint"],
    ),
    Sample(
        summary="Access tokens live 15 minutes, refresh tokens 30 days and rotate on use.",
        context="Reuse of a rotated refresh token revokes the whole family. The clock may be off by 60 seconds.",
        conversation_id="nc-auth-20260418",
        tags=["security", "decision"],
    ),
    Sample(
        summary="The flaky checkout test failed because two workers shared one cart id.",
        context="Cart ids came from a counter in a module. They are ULIDs now; 500 runs in a row are green.",
        conversation_id="nc-flaky-20260422",
        tags=["testing"],
    ),
    Sample(
        summary="The image resizer leaked memory: every thumbnail kept its source buffer.",
        context="sharp was given a stream that nobody closed. Memory stays at 180 MB over a night since the fix.",
        conversation_id="nc-resizer-20260425",
        tags=["bug"],
    ),
    Sample(
        summary="Error messages name the field, what was wanted and what to do next.",
        context="The user dislikes bare 'invalid input'. Wrap errors with context; never show a stack trace.",
        conversation_id="nc-style-20260501",
        tags=["preference"],
    ),
    Sample(
        summary="用户身份验证失败需要处理 ★ 🎉",
        context="短信验证码在夏令时切换后过早失效。改用 UTC 时间戳。",
        conversation_id="nc-auth-20260503",
        tags=["security", "bug"],
    ),
    Sample(
        summary="Search is Postgres full text for now; a search engine only beyond a million products.",
        context="At 200,000 products the slowest query takes 38 ms with a GIN index.",
        conversation_id="nc-search-20260508",
        tags=["search", "decision"],
    ),
    Sample(
        summary="Invoices are numbered without gaps, per country and year.",
        context="One row a country and year, locked in the same transaction. Sequences leave gaps on rollback.",
        conversation_id="nc-invoices-20260512",
        tags=["billing"],
    ),
    Sample(
        summary="Deploys go out Tuesday and Thursday before noon; never before a holiday.",
        context="Canary of 5 % for 30 minutes, then all. Roll back with `make rollback REV=`; it takes two minutes.",
        conversation_id="nc-deploy-20260515",
        tags=["deploy", "preference"],
    ),
    Sample(
        summary="Nicole leads the storefront project for Orchard Co; stand-up is at 9:30.",
        context="Decisions about scope go to her; access to the client's sandbox comes from their platform team.",
        conversation_id="nc-team-20260520",
        tags=["team"],
    ),
)
