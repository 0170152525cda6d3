"""One operation of the contract: the route of paths/, joined with the tool of tools/ where there is one of its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from codegen.branching import with_branches
from codegen.implied import implied_errors, is_write, with_receipt
from codegen.ir import Example, Op, Param, Schema
from codegen.load import Source
from codegen.named import not_kept, pascal
from codegen.place import ContractError, Place, fault
from codegen.request import build_parameters, request_schema
from codegen.resolve import bundle, root_of, without_notes

METHODS = ("get", "put", "post", "patch", "delete")


@dataclass(frozen=True)
class Answer:
    """What an operation answers on success."""

    status: int
    produces: str
    kind: Literal["model", "json", "text"]
    schema: Schema | None
    shared_name: str | None  # of the shared schema that is the answer as a whole
    description: str


def tool_place(source: Source, name: str) -> Place | None:
    """Return the file of the tool of that name, or None where the operation is REST only."""
    for file in source.under("tools"):
        if file.rpartition("/")[2] == f"{name}.yaml":
            return Place(file)
    return None


def build_operation(source: Source, defs: dict[str, Schema], path: str, method: str, place: Place) -> Op:
    """Return the operation whose OpenAPI operation object stands at `place`. Raises ContractError with what to add."""
    route = source.at(place)
    for key in ("operationId", "tags", "responses"):
        if not route.get(key):
            raise ContractError(fault(place, f"no {key}; add {key}"))
    name = str(route["operationId"])
    declared = tool_place(source, name)
    tool: dict[str, Any] = source.at(declared) if declared else {}
    for key in ("inputSchema", "outputSchema", "annotations") if declared else ():
        if not isinstance(tool.get(key), dict):
            raise ContractError(fault(declared or place, f"no {key}; add {key}"))
    if declared and "family" not in tool:
        raise ContractError(fault(declared, "no family; add `family: nexus`, `memvault` or `recall`"))
    annotations = tool.get("annotations") or _annotations(route, method)
    writes = is_write(annotations)
    parameters = build_parameters(source, defs, path, place)
    body = str(route.get("x-body", "*")) if "requestBody" in route else None
    answer = _answer(source, defs, declared, route, place)
    declared_errors = tuple(tool.get("errors", ()) if declared else route.get("x-errors", ()))
    public = route.get("security") == []
    output = answer.schema
    branched = "branch" in tool or "branches" in tool
    receipt = writes and not tool.get("composite") and not (branched and "oneOf" in tool["inputSchema"])
    if receipt:
        output = with_receipt(output, defs, place)
    own_name = f"{pascal(name)}Response"
    shared_name = answer.shared_name if output is answer.schema else None  # with a receipt it is a schema of its own
    op = Op(
        name=name,
        group=str(route["tags"][0]),
        method=method.upper(),
        path=path,
        status=answer.status,
        family=tool.get("family", "rest"),
        arguments=tool.get("arguments", "flat"),
        tool=declared is not None,
        title=str(tool.get("title", "") if declared else route.get("summary", "")).strip(),
        summary=str(route.get("summary") or tool.get("title", "")).strip(),
        description=str(tool.get("description") or route.get("description", "")).strip(),
        scopes=tuple(tool.get("scopes", ()) if declared else route.get("x-scopes", ())),
        public=public,
        writes=writes,
        annotations=dict(annotations),
        justifications=dict(tool.get("annotation_justifications", {})),
        declared_errors=declared_errors,
        errors=tuple(sorted({*declared_errors, *implied_errors(public=public, writes=writes, body=body is not None)})),
        parameters=parameters,
        body=body,
        media=tuple(route["requestBody"]["content"]) if body else (),
        produces=answer.produces,
        location=route.get("x-location"),
        links=dict(route["responses"][str(answer.status)].get("links", {})),
        request_name=f"{pascal(name)}Request",
        response_name=(shared_name or own_name) if answer.kind == "model" else None,
        response_kind=answer.kind,
        input_schema=_input(source, defs, declared, parameters, body, place),
        output_schema=without_notes(output),
        examples=_examples(tool["examples"] if "examples" in tool else route.get("x-examples", [])),
        not_kept=not_kept(output),
        source=Path("contracts") / (declared or place).file,
        route_source=Path("contracts") / place.file,
        answer=answer.description,
        as_printed=tool.get("as_printed", False),
        composite=tool.get("composite", False),
        outside=annotations["openWorldHint"],
        max_body=route.get("x-max-body"),
    )
    return with_branches(source, defs, op, declared) if declared and branched else op


def _annotations(route: dict[str, Any], method: str) -> dict[str, bool]:
    reads = method == "get" or route.get("x-reads") is True
    return {
        "readOnlyHint": reads,
        "destructiveHint": method == "delete",
        "openWorldHint": route.get("x-open-world") is True,
    }


def _input(
    source: Source,
    defs: dict[str, Schema],
    declared: Place | None,
    parameters: tuple[Param, ...],
    body: str | None,
    place: Place,
) -> Schema:
    if declared is None:
        return request_schema(source, defs, parameters, body, place)
    here = declared / "inputSchema"
    schema: Schema = without_notes(root_of(bundle(source, source.at(here), here), defs))
    return schema


def _answer(
    source: Source, defs: dict[str, Schema], declared: Place | None, route: dict[str, Any], place: Place
) -> Answer:
    statuses = [str(status) for status in route["responses"] if str(status).startswith("2")]
    if len(statuses) != 1:
        raise ContractError(fault(place / "responses", "name exactly one 2xx status; errors are added by codegen"))
    content = route["responses"][statuses[0]].get("content", {})
    if len(content) != 1:
        raise ContractError(fault(place / "responses" / statuses[0], "name exactly one media type under content"))
    ((media, inside),) = content.items()
    status, text = int(statuses[0]), str(route["responses"][statuses[0]].get("description", "")).strip()
    if not media.endswith("json"):
        return Answer(status, media, "text", None, None, text)
    here = declared / "outputSchema" if declared else place / "responses" / statuses[0] / "content" / media / "schema"
    written = source.at(here) if declared else inside.get("schema", {})
    schema = bundle(source, written, here)
    shared_name = schema["$ref"].rpartition("/")[2] if "$ref" in schema else None
    schema = root_of(schema, defs)
    if "properties" not in schema:
        return Answer(status, media, "json", schema, None, text)
    return Answer(status, media, "model", schema, shared_name, text)


def _examples(entries: list[dict[str, Any]]) -> tuple[Example, ...]:
    return tuple(
        Example(
            name=str(entry.get("name", f"example {number}")),
            description=str(entry.get("description", "")).strip(),
            needs=tuple(entry.get("needs", ())),
            input=dict(entry.get("input", {})),
            output=entry.get("output"),
            error=entry.get("error"),
        )
        for number, entry in enumerate(entries, start=1)
    )
