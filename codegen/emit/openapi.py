"""openapi.json: one self-contained OpenAPI 3.1 document, with what nobody writes by hand added."""

from __future__ import annotations

from typing import Any

from codegen.emit.failures import FAILURE, failure_responses
from codegen.implied import OPERATION_KEY
from codegen.ir import Contract, Json, Op, Param, Schema
from codegen.shape import body_of
from codegen.text import dump_json
from codegen.walk import rebuild

_REQUEST_ID = {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}}


def emit(contract: Contract) -> dict[str, str]:
    """Return openapi.json."""
    return {"tallystick_contract/openapi.json": dump_json(document(contract))}


def document(contract: Contract) -> dict[str, Any]:
    """Return the document; every reference in it names a component."""
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Schema] = dict(contract.defs)
    for op in contract.operations:
        schemas.update(own_components(op))
    for op in sorted(contract.operations, key=lambda op: (op.path, op.method)):
        paths.setdefault(op.path, {})[op.method.lower()] = _operation(op, contract)
    return {
        "openapi": "3.1.0",
        "info": contract.info,
        "servers": list(contract.servers) or [{"url": "/"}],
        "tags": [{"name": name, "description": text} for name, text in contract.groups.items()],
        "x-scopes": contract.scopes,
        "paths": paths,
        "components": {
            "schemas": {name: _component(schema) for name, schema in sorted({**schemas, **FAILURE}.items())},
            "headers": {
                "RequestId": {
                    "description": "Names this request in the server's log.",
                    "required": True,
                    "schema": {"type": "string"},
                },
                "RetryAfter": {
                    "description": "Seconds to wait before trying again.",
                    "schema": {"type": "integer", "minimum": 0},
                },
            },
            "parameters": {
                "IdempotencyKey": {
                    "name": "Idempotency-Key",
                    "in": "header",
                    "required": False,
                    "description": OPERATION_KEY["description"],
                    "schema": {key: value for key, value in OPERATION_KEY.items() if key != "description"},
                }
            },
            "securitySchemes": contract.security_schemes,
        },
    }


def own_components(op: Op) -> dict[str, Schema]:
    """Return the schemas of one operation alone: <Operation>Body (or <Operation>Request) and <Operation>Response."""
    found: dict[str, Schema] = {}
    if op.split:
        for part in op.parts:
            found |= own_components(part)
        found[op.request_name] = {
            "description": f"What {op.name} takes: the value of {op.branch} decides which.",
            "type": "object",
            "oneOf": [_named(part.request_name) for part in op.parts],
            # Without the mapping, generators of clients take the names of the schemas for the values.
            "discriminator": {
                "propertyName": op.branch,
                "mapping": {str(branch.value): _named(branch.op.request_name)["$ref"] for branch in op.branches},
            },
        }
        return found
    body = body_of(op)
    if body is not None:
        found[body_name(op)] = body
    if op.response_name and op.output_schema is not None:
        found[op.response_name] = op.output_schema
    return found


def _named(name: str | None) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def body_name(op: Op) -> str:
    """Return the component's name of the body: the request where nothing travels in the URL, else its part."""
    whole = op.body == "*" and not op.parameters
    return op.request_name if whole else op.request_name.removesuffix("Request") + "Body"


def _operation(op: Op, contract: Contract) -> dict[str, Any]:
    parameters = [_parameter(param, op) for param in op.parameters]
    if op.writes:
        parameters.append({"$ref": "#/components/parameters/IdempotencyKey"})
    found: dict[str, Any] = {
        "operationId": op.name,
        "tags": [op.group],
        "summary": op.summary,
        "description": "\n\n".join([op.description, *_notes(op)]),
        "x-scopes": list(op.all_scopes),
        "security": [] if op.public else [{"agent_key": []}],
    }
    if op.max_body is not None:
        found["x-max-body"] = op.max_body
    if parameters:
        found["parameters"] = parameters
    if op.body is not None:
        found["requestBody"] = _body(op)
    found["responses"] = {str(op.status): _success(op), **failure_responses(op, contract)}
    return found


def _notes(op: Op) -> list[str]:
    found = [access(op)]
    if op.max_body is not None:
        found.append(f"The body may have {op.max_body} bytes.")
    return found


def access(op: Op) -> str:
    """Return who may call the operation, in a sentence; by branch where that decides."""
    if op.public:
        return "Public."
    if not op.branches:
        return f"Needs scope {' and '.join(op.scopes)}." if op.scopes else "Needs a key, of any scope."
    parts = [
        f"{' and '.join(branch.op.scopes) or 'any key'} "
        + (f"without {op.branch}" if branch.value is None else f"for {op.branch} {branch.value}")
        for branch in op.branches
    ]
    return f"Needs {', '.join(parts)}."


def _parameter(param: Param, op: Op) -> dict[str, Any]:
    schema = _component({key: value for key, value in param.schema.items() if key != "description"})
    found = {"name": param.name, "in": param.where, "required": param.required, "description": param.description}
    examples = {
        example.name: {"value": example.input[param.name]}
        for example in op.examples
        if example.error is None and param.name in example.input
    }
    return {**found, "schema": schema, **({"examples": examples} if examples else {})}


def _body(op: Op) -> dict[str, Any]:
    in_url = {param.name for param in op.parameters}
    examples: dict[str, Any] = {}
    for example in op.examples:
        if example.error is None:
            members = {name: value for name, value in example.input.items() if name not in in_url}
            value = members if op.body == "*" else members.get(op.body or "")
            examples[example.name] = _example(value, example.description)
    inside: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{body_name(op)}"}}
    if examples:
        inside["examples"] = examples
    return {"required": True, "content": dict.fromkeys(op.media, inside)}


def _success(op: Op) -> dict[str, Any]:
    answers = dict.fromkeys(part.response_name for part in op.parts)
    if op.split:
        schema: Schema = {"anyOf": [_component(_named(name)) for name in answers]}
    elif op.response_name:
        schema = {"$ref": f"#/components/schemas/{op.response_name}"}
    else:
        schema = _component(op.output_schema) if op.output_schema else {"type": "string"}
    inside: dict[str, Any] = {"schema": schema}
    examples = {
        example.name: _example(example.output, example.description)
        for example in op.examples
        if example.output is not None
    }
    if examples:
        inside["examples"] = examples
    headers: dict[str, Any] = dict(_REQUEST_ID)
    if op.location is not None:
        headers["Location"] = {"description": "Path of the new record.", "required": True, "schema": {"type": "string"}}
    found = {"description": op.answer, "headers": headers, "content": {op.produces: inside}}
    return {**found, "links": op.links} if op.links else found


def _example(value: Json, description: str) -> dict[str, Any]:
    return {**({"summary": description} if description else {}), "value": value}


def _component(schema: Json) -> Json:
    """Return the schema with references to components; a member `discriminator` follows."""
    if not isinstance(schema, dict):
        return schema
    changed = rebuild(schema, _component)
    if "$ref" in changed:
        changed["$ref"] = changed["$ref"].replace("#/$defs/", "#/components/schemas/")
    if "discriminator" in changed and "mapping" in changed["discriminator"]:
        mapping = changed["discriminator"]["mapping"]
        changed["discriminator"] = {
            **changed["discriminator"],
            "mapping": {value: ref.replace("#/$defs/", "#/components/schemas/") for value, ref in mapping.items()},
        }
    return changed
