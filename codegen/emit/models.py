"""models.py: pydantic models of requests, answers and shared schemas, made by datamodel-code-generator.

The strict schema decides validity; a model only carries values, types and defaults. So the bundle that the generator
is given has no limits, patterns or formats left: a second opinion could only disagree.
"""

from __future__ import annotations

import json

from datamodel_code_generator import (
    InputFileType,
    LiteralType,
    TargetPydanticVersion,
    VersionMode,
    generate,
)
from datamodel_code_generator.enums import DataModelType
from datamodel_code_generator.format import Formatter

from codegen.ir import Contract, Json, Schema
from codegen.shape import CONDITIONS, flat
from codegen.text import HEADER, format_python
from codegen.walk import rebuild

_CHECKS = (
    *CONDITIONS,
    *("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"),
    *("contains", "minContains", "maxContains", "example", "examples"),
)

_BASE = '''"""The base of every model."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A value of the contract. Fields may be given by their Python name or their name on the wire."""

    # Values may be keys or private texts: an error that names them would carry them into a log.
    model_config = ConfigDict(
        validate_by_name=True, validate_by_alias=True, serialize_by_alias=True, hide_input_in_errors=True
    )
'''


def emit(contract: Contract) -> dict[str, str]:
    """Return base.py and models.py."""
    return {
        "tallystick_contract/base.py": format_python(HEADER + _BASE),
        "tallystick_contract/models.py": generate_models(contract, "tallystick_contract.base.Model", HEADER),
    }


def generate_models(contract: Contract, base_class: str, header: str, *, closed: bool = True) -> str:
    """Return the source of all models, deriving from `base_class` (a dotted name), below `header`.

    With `closed` false no model forbids further members, so that the base decides what becomes of them: a client must
    not break on a property that a later server answers.
    """
    text = generate(
        json.dumps(model_bundle(contract, closed=closed)),
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        preset="standard-py311-20261027",
        target_pydantic_version=TargetPydanticVersion.V2_11,
        schema_version="2020-12",
        schema_version_mode=VersionMode.Strict,
        allow_remote_refs=False,
        strict_refs=True,
        skip_root_model=True,
        collapse_root_models=False,
        use_type_alias=True,
        enum_field_as_literal=LiteralType.All,
        use_schema_description=True,
        use_field_description=True,
        use_attribute_docstrings=True,
        use_single_line_docstring=True,
        use_double_quotes=True,
        base_class=base_class,
        formatters=[Formatter.BUILTIN],
        custom_file_header=header.rstrip("\n"),
    )
    return format_python(str(text))


def model_bundle(contract: Contract, *, closed: bool = True) -> Schema:
    """Return one schema whose `$defs` are all models: shared ones, <Operation>Request and <Operation>Response."""
    models: dict[str, Schema] = dict(contract.defs)
    for op in contract.operations:
        # A split operation takes, all in all, what some branch takes; its answers are the branches' own.
        for part in (op, *op.parts) if op.split else (op,):
            request = flat(part.input_schema, contract.defs)
            models[part.request_name] = {"description": f"What {part.name} takes.", **request}
            if part.response_name and part.response_name not in models and part.output_schema:
                answer = flat(part.output_schema, contract.defs)
                models[part.response_name] = {"description": f"What {part.name} answers.", **answer}
    defs = {name: _bare(schema, closed) for name, schema in sorted(models.items())}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": defs}


def _bare(schema: Json, closed: bool) -> Json:
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _CHECKS}
    if not closed and kept.get("additionalProperties") is False:
        del kept["additionalProperties"]
    return rebuild(kept, lambda inner: _bare(inner, closed))
