"""Which requests must have a body: drf-spectacular sees required fields, but not those of each of several shapes."""

from typing import Any


def required_bodies(result: dict[str, Any], **_generation: Any) -> dict[str, Any]:
    """A postprocessing hook: a body of which every alternative has required fields is required."""
    shapes = result["components"]["schemas"]
    for operations in result["paths"].values():
        for operation in operations.values():
            body = operation.get("requestBody", {})
            contents = [content["schema"] for content in body.get("content", {}).values() if "schema" in content]
            if contents and all(_says_something(schema, shapes) for schema in contents):
                body["required"] = True
    return result


def _says_something(schema: dict[str, Any], shapes: dict[str, Any]) -> bool:
    if "$ref" in schema:
        return _says_something(shapes[schema["$ref"].rsplit("/", 1)[-1]], shapes)
    if "anyOf" in schema:
        return all(_says_something(one, shapes) for one in schema["anyOf"])
    return bool(schema.get("required"))
