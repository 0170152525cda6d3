"""Operations that the value of an argument splits: what the documents, the client and the stubs make of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codegen.__main__ import main
from codegen.advertise import advertised_input
from codegen.emit import client, openapi, reference
from codegen.emit import help as emit_help
from codegen.generate import read_contract
from codegen.ir import Contract
from codegen.place import ContractError
from tests.codegen.changed import CASES, changed

BRANCHES = CASES / "branches" / "contracts"


@pytest.fixture(scope="module")
def contract() -> Contract:
    return read_contract(BRANCHES)


@pytest.fixture(scope="module")
def document(contract: Contract) -> dict[str, Any]:
    return openapi.document(contract)


def test_a_branch_is_an_operation_with_less(contract: Contract) -> None:
    work = contract.operation("work")
    assert work.split
    assert work.writes
    assert (work.scopes, work.all_scopes) == (("job:read",), ("job:read", "job:take"))
    assert [(branch.value, branch.op.name, branch.op.writes) for branch in work.branches] == [
        ("see", "work_see", False),
        ("take", "work_take", True),
        ("give-back", "work_give_back", True),
    ]
    see, take, _ = work.parts
    assert "replayed" not in (see.output_schema or {})["properties"]
    assert "replayed" in (take.output_schema or {})["properties"]
    assert (see.response_name, take.response_name, take.not_kept) == ("JobList", "WorkTakeResponse", ("code",))
    assert ("CONFLICT" in see.errors, "CONFLICT" in take.errors) == (False, True)
    assert [example.name for example in take.examples] == ["take", "take nothing"]


def test_narrowing_keeps_one_handler(contract: Contract) -> None:
    found = contract.operation("find_jobs")
    assert not found.split
    assert found.parts == (found,)
    assert found.scopes == ()
    assert [(branch.value, branch.op.name, branch.op.scopes) for branch in found.branches] == [
        ("new", "find_jobs", ("job:read",)),
        ("old", "find_jobs", ("job:old",)),
        (None, "find_jobs", ("job:read", "job:old")),
    ]


def test_one_flat_object_is_advertised(contract: Contract) -> None:
    schema = advertised_input(contract.operation("work"), contract)
    assert schema["properties"]["do"] == {
        "type": "string",
        "enum": ["see", "take", "give-back"],
        "description": "see: list what waits. take: have one for yourself. give-back: let others have it.",
    }
    assert schema["properties"]["id"] == {"type": "string", "description": "Which to take. Which to give back."}
    assert list(schema["properties"]) == ["do", "limit", "id", "class", "operation_key"]
    assert schema["required"] == ["do"]
    assert schema["additionalProperties"] is False


def test_openapi_says_which_value_is_which_schema(document: dict[str, Any]) -> None:
    schema = document["components"]["schemas"]["WorkRequest"]
    names = ("WorkSeeRequest", "WorkTakeRequest", "WorkGiveBackRequest")
    refs = [f"#/components/schemas/{name}" for name in names]
    assert schema["oneOf"] == [{"$ref": ref} for ref in refs]
    assert schema["discriminator"] == {
        "propertyName": "do",
        "mapping": dict(zip(("see", "take", "give-back"), refs, strict=True)),
    }
    assert set(names) <= set(document["components"]["schemas"])
    work = document["paths"]["/v1/jobs"]["post"]
    assert work["description"].endswith(
        "\n\nNeeds job:read for do see, job:read and job:take for do take, job:read and job:take for do give-back."
    )
    assert work["responses"]["200"]["content"]["application/json"]["schema"]["anyOf"] == [
        {"$ref": f"#/components/schemas/{name}"} for name in ("JobList", "WorkTakeResponse", "WorkGiveBackResponse")
    ]


def test_openapi_says_what_narrows_and_what_limits(document: dict[str, Any]) -> None:
    found = document["paths"]["/v1/job-search"]["post"]
    needs = "Needs job:read for age new, job:old for age old, job:read and job:old without age."
    assert found["description"].endswith(needs)
    assert found["x-scopes"] == ["job:read", "job:old"]
    put = document["paths"]["/v1/job-files"]["put"]
    assert put["x-max-body"] == 1000
    assert put["description"].endswith("The body may have 1000 bytes.")


def test_a_composite_takes_a_key_and_gives_no_receipt(contract: Contract) -> None:
    calls = contract.operation("call_jobs")
    assert "operation_key" in advertised_input(calls, contract)["properties"]
    assert calls.response_name == "JobList"


def test_help_has_a_request_a_branch(contract: Contract) -> None:
    work = json.loads(emit_help.emit(contract)["tallystick_contract/help.json"])["tools"]["work"]
    requests = work["rest"]["requests"]
    assert [request["example_body"]["do"] for request in requests] == ["see", "take", "give-back"]
    assert ["headers" in request for request in requests] == [False, True, True]
    branches = work["mcp"]["branches"]
    assert list(branches) == ["see", "take", "give-back"]
    assert branches["take"]["example_arguments"] == {"do": "take", "id": "j1"}
    assert branches["take"]["scopes"] == ["job:read", "job:take"]
    assert "operation_key" not in branches["see"]["arguments_schema"]["properties"]


def test_the_client_has_a_method_a_branch(contract: Contract) -> None:
    text = client.emit(contract)["python-client/tallystick_client/_client.py"]
    assert "def work(" not in text
    assert "def work_see(self, *, limit: int | Omitted = OMIT) -> models.JobList:" in text
    assert 'body={"do": "see", "limit": limit}' in text
    assert 'body={"do": "take", "id": id}, writes=True, key=idempotency_key' in text
    assert "Needs job:read for age new, job:old for age old, job:read and job:old without age." in text


def test_the_reference_tells_the_branches_apart(contract: Contract) -> None:
    page = reference.emit(contract)["reference/jobs.md"]
    assert "| [`work`](#work) | `POST /v1/jobs` | yes | `job:read` `job:take` |" in page
    assert "### do: see\n\nList what waits. There may be nothing. Reads; `job:read`.\n\n**Arguments**" in page
    assert "### do: give-back\n\nGive one job back. Writes; `job:read` `job:take`." in page
    assert "The body may have 1000 bytes." in page


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("work", ["work_see", "work_take", "replay_work_take", "work_give_back"]),
        ("work_take", ["work_take", "replay_work_take"]),
        ("work_see", ["work_see"]),
        ("find_jobs", ["find_jobs"]),
    ],
)
def test_stub(name: str, methods: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--contracts", str(BRANCHES), "--stub", name]) == 0
    printed = capsys.readouterr().out
    assert [line.split("(")[0].split()[-1] for line in printed.splitlines() if "def " in line] == methods
    assert printed.count("raise NotImplementedError") == len(methods)


def test_a_value_that_is_no_name(tmp_path: Path) -> None:
    root = changed(tmp_path, "tools/jobs/work.yaml", "  give-back:\n", "  Give!:\n", BRANCHES)
    path = root / "tools/jobs/work.yaml"
    path.write_text(
        path.read_text("utf-8").replace("const: give-back", "const: Give!").replace("do: give-back", "do: Give!")
    )
    with pytest.raises(ContractError) as raised:
        read_contract(root)
    assert raised.value.messages == (
        "contracts/tools/jobs/work.yaml#/branches/Give!: a value is in lower case; it names a handler method",
    )
