"""Create, read, change, erase, read again: every link of the contract is followed from a call that succeeded.

Schemathesis follows links in its stateful phase as well, but begins at operations that it takes for likely to succeed; one
that names a record which nothing makes, such as the conversation of store_context, is none of them.
"""

from __future__ import annotations

from typing import Any

import hypothesis
import schemathesis
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.engine import Status
from schemathesis.engine.recorder import CheckFailureInfo, CheckNode, ScenarioRecorder
from schemathesis.generation.stateful.state_machine import StepOutput, Transition
from schemathesis.specs.openapi.stateful.links import OpenApiLink

from tests.contract.fixtures import CONTRACT

from .caller import Caller
from .tally import Tally

Case = schemathesis.Case[Any]
ORDER = ("get", "post", "put", "patch", "delete")


def walk(schema: Any, caller: Caller, rounds: int, seed: int, tally: Tally) -> None:
    """Walk `rounds` times from every operation with links, half of the time from one of its examples."""
    for operation in (result.ok() for result in schema.get_all_operations()):
        if links_of(operation):
            _from(operation, caller, rounds, seed, tally)


def _from(operation: Any, caller: Caller, rounds: int, seed: int, tally: Tally) -> None:
    links = links_of(operation)
    starts = st.one_of(examples_of(operation, caller), operation.as_strategy())
    # All is drawn before anything is sent: what is drawn must not depend on what the server answers.
    steps = st.tuples(starts, *(_step(link) for link in links))

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=rounds,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(steps)
    def walked(cases: tuple[Case, ...]) -> None:
        tally.scenario(_walk(links, cases, caller))

    walked()


def links_of(operation: Any) -> list[OpenApiLink]:
    """The links that the contract writes at an operation's success: what reads before what changes, what ends it last. If
    something ends it, what reads comes once more."""
    found = [
        OpenApiLink(name, status, definition, operation)
        for status, response in operation.responses.items()
        for name, definition in response.iter_links()
    ]
    links = sorted((link for link in found if not link.is_inferred), key=lambda link: ORDER.index(link.target.method))
    ends = links and links[-1].target.method == "delete"
    return links + [link for link in links if ends and link.target.method == "get"]


def examples_of(operation: Any, caller: Caller) -> st.SearchStrategy[Case]:
    """The contract's examples of a successful call, with the ids of the caller's records."""
    op = CONTRACT.operation(operation.definition.raw["operationId"])
    where = {param.name: param.where for param in op.parameters}

    def made(values: dict[str, Any]) -> Case:
        path = {name: value for name, value in values.items() if where.get(name) == "path"}
        body = {name: value for name, value in values.items() if name not in where}
        case: Case = operation.Case(path_parameters=path, body=body, media_type=op.media[0])
        return case

    inputs = [caller.fixtures.translated(example.input) for example in op.examples if example.error is None]
    return st.sampled_from(inputs).map(made)


def _step(link: OpenApiLink) -> st.SearchStrategy[Case]:
    places: dict[str, Any] = {}
    for parameter in link.parameters:
        places.setdefault(str(parameter.container_name), {})[parameter.name] = "to-be-filled"
    return link.target.as_strategy(**places)


def _walk(links: list[OpenApiLink], cases: tuple[Case, ...], caller: Caller) -> ScenarioRecorder:
    first, *others = cases
    recorder = ScenarioRecorder(label=first.operation.label)
    answer = _sent(first, recorder, caller)
    if 200 <= answer.status_code < 300:
        for link, case in zip(links, others, strict=True):
            transition = link.extract(StepOutput(answer, first))
            for place, values in transition.parameters.items():
                for name, found in values.items():
                    assert isinstance(found.value, Ok), f"{link.full_name}: {found.definition} is not in {answer.text}"
                    getattr(case, place)[name] = found.value.ok()
            _sent(case, recorder, caller, transition)
    return recorder


def _sent(case: Case, recorder: ScenarioRecorder, caller: Caller, transition: Transition | None = None) -> Any:
    parent = transition.parent_id if transition else None
    headers = {"Authorization": f"Bearer {caller.key}"}
    recorder.record_case(case=case, parent_id=parent, transition=transition, is_transition_applied=parent is not None)
    answer = case.call(headers=headers)
    recorder.record_response(case_id=case.id, response=answer)
    try:
        case.validate_response(answer, headers=headers, recorder=recorder)
    except FailureGroup as group:
        curl = case.as_curl_command(headers=headers)
        for failure in group.exceptions:
            info = CheckFailureInfo(code_sample=curl, failure=failure)
            recorder.record_check_node(case.id, CheckNode(name="walk", status=Status.FAILURE, failure_info=info))
    return answer
