"""One exception class a code."""

import httpx
import pytest
import yaml
from tallystick_client import ApiError, TallystickError, errors

from tests.client.wire import Server, failure

with open("contracts/errors.yaml", encoding="utf-8") as file:
    CATALOGUE = yaml.safe_load(file)


def raised(answer: httpx.Response) -> ApiError:
    with pytest.raises(ApiError) as caught:
        Server(answer).client(retries=0).memories.list_memories()
    return caught.value


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_every_code_has_its_class(code):
    error = raised(failure(CATALOGUE[code]["status"], code))
    assert type(error).__name__ == code.title().replace("_", "")
    assert type(error) is errors.BY_CODE[code]
    assert isinstance(error, TallystickError)


def test_what_an_error_tells():
    error = raised(failure(404, "NOT_FOUND"))
    assert isinstance(error, errors.NotFound)
    assert (error.code, error.status, error.request_id) == ("NOT_FOUND", 404, "req_1")
    assert (error.message, error.next_action) == ("NOT_FOUND happened.", "Do this.")
    assert error.retry_after_seconds is None
    assert str(error) == "NOT_FOUND (404): NOT_FOUND happened. Do this."


def test_a_code_of_a_later_server_is_an_api_error():
    error = raised(failure(418, "TEAPOT"))
    assert type(error) is ApiError
    assert error.code == "TEAPOT"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>Bad gateway</html>",
        b"[]",
        b"null",
        b'{"error": true}',
        b'{"error": {"code": "X"}}',
        b'{"error": null}',
        b"\xff",
    ],
)
def test_an_error_of_something_else(content):
    error = raised(httpx.Response(502, content=content))
    assert type(error) is ApiError
    assert (error.code, error.status, error.request_id) == ("UNKNOWN", 502, None)
    assert "base_url" in error.next_action


def test_a_redirect_is_no_success():
    assert raised(httpx.Response(307, headers={"location": "https://elsewhere.test"})).status == 307
