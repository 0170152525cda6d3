"""Linear's errors, in the shapes its API was seen to answer with. The first kind comes with HTTP 200 and `data: null`."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLError

Json = dict[str, Any]


def invalid(message: str, shown: str, code: str = "INPUT_ERROR") -> GraphQLError:
    """An input that Linear refuses while it carries a request out; `shown` is the message meant for people."""
    told = {"statusCode": 400, "userError": True, "userPresentableMessage": shown}
    return GraphQLError(message, extensions={"type": "invalid input", "code": code, **told})


def not_found(entity: str) -> GraphQLError:
    return invalid(f"Entity not found: {entity}", f"Could not find referenced {entity}.")


def conflict(entity: str, id: str) -> GraphQLError:
    """A create with an id that is taken: what a create that was sent twice gets."""
    return invalid(f"conflict on insert of {entity}", f"Entity {entity} with id {id} already exists.")


def argument(shown: str) -> GraphQLError:
    """A value of the right type that is not allowed."""
    return invalid("Argument Validation Error", shown, "INVALID_INPUT")


def body(message: str, kind: str, code: str, status: int, shown: str) -> Json:
    """A refusal before anything is carried out: it has no `data`."""
    told = {"statusCode": status, "userError": True, "userPresentableMessage": shown, "http": {"status": status}}
    return {"errors": [{"message": message, "extensions": {"type": kind, "code": code, **told}}]}


UNAUTHENTICATED = body(
    "Authentication required, not authenticated",
    "authentication error",
    "AUTHENTICATION_ERROR",
    401,
    "You need to authenticate to access this operation.",
)

_BEARER = (
    "It looks like you're trying to use an API key as a Bearer token. "
    "Remove the Bearer prefix from the Authorization header."
)
BEARER = body(_BEARER, "authentication error", "AUTHENTICATION_ERROR", 400, _BEARER)

INTERNAL = body("Internal server error", "internal error", "INTERNAL_SERVER_ERROR", 500, "Something went wrong.")


def too_complex(points: int, limit: int) -> Json:
    shown = f"The query is too complex. Complexity: {points}. Maximum allowed complexity: {limit}."
    return body("Query too complex", "invalid input", "INPUT_ERROR", 400, shown)


def rate_limited(limit: int) -> Json:
    """Comes with HTTP 400, although its own statusCode is 429."""
    shown = f"Rate limit exceeded. Only {limit} requests are allowed per 1 hour."
    answer = body(shown, "ratelimited", "RATELIMITED", 429, "You have exceeded the rate limit.")
    answer["errors"][0]["extensions"]["http"]["status"] = 400
    return answer


def malformed(errors: list[GraphQLError], code: str) -> Json:
    """A document or variables that are not valid."""
    told = {"http": {"status": 400, "headers": {}}, "code": code, "type": "graphql error", "userError": True}
    return {"errors": [{**error.formatted, "extensions": told} for error in errors]}
