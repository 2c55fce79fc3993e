# SPDX-License-Identifier: Apache-2.0
"""Made-up lines of records: the fields that a test needs, completed with those that the schema requires."""
import json
import pathlib

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "schema"


def filled(name, line):
    """`line`, a line of a record of the schema of this name, completed with the fields that it lacks."""
    root = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    kinds = root["$defs"].get(line["kind"], root)
    return _fill(line, kinds, root)


def _found(schema, root):
    """The schema without its reference, and the document that its own references refer to; `true` requires nothing."""
    if schema is True:
        return {}, root
    while "$ref" in schema:
        file, _, path = schema["$ref"].partition("#/$defs/")
        root = json.loads((SCHEMAS / file).read_text(encoding="utf-8")) if file else root
        schema = root["$defs"][path]
    return schema, root


def _properties(schema, root):
    """The properties, and the names of required ones, including those of allOf."""
    schema, root = _found(schema, root)
    named, required = {k: (v, root) for k, v in schema.get("properties", {}).items()}, list(schema.get("required", ()))
    for part in schema.get("allOf", ()):
        if "if" not in part:
            more, also = _properties(part, root)
            named |= {k: v for k, v in more.items() if k not in named}
            required += also
    return named, required


def _fill(value, schema, root):
    schema, root = _found(schema, root)
    if isinstance(value, dict):
        named, required = _properties(schema, root)
        made = {k: _fill(v, *named[k]) if k in named else v for k, v in value.items()}
        return made | {k: _sample(*named[k]) for k in required if k not in made}
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [_fill(v, schema["items"], root) for v in value]
    return value


def _sample(schema, root):
    schema, root = _found(schema, root)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "anyOf" in schema or "oneOf" in schema:
        return _sample(schema.get("anyOf", schema.get("oneOf"))[0], root)
    kind = schema.get("type", "object" if "properties" in schema else "null")
    if isinstance(kind, list):
        kind = "null" if "null" in kind else kind[0]
    if kind == "object":
        return _fill({}, schema, root)
    if kind == "array":
        return [_sample(schema["items"], root)] * schema.get("minItems", 0)
    return {"string": "made up", "integer": schema.get("minimum", 1), "number": schema.get("minimum", 1), "boolean": False,
            "null": None}[kind]
