"""The shapes of answers that the Python client is typed with, made from the OpenAPI document.

`python -m tests.memos_site.client_shapes` writes memos_site/launcher/answers.py anew; a test holds it to that.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FILE = Path(__file__).resolve().parents[2] / "memos_site" / "launcher" / "answers.py"
ANSWERS = ("ContextAnswer", "SearchAnswer", "GuidanceAnswer", "StoredClaim")
PLAIN = {"Lifecycle", "Provenance", "Parts", "AsItStood"}  # whose fields a program seldom asks for
HEAD = '''"""What the verbs of the client answer, as the OpenAPI document says: made from it, not written by hand.

Times and ids are texts. A search that asks for redacted memories gets some that hold less than a Memory.
"""

from typing import Any, Literal, NotRequired, TypedDict
'''


def source(document: Json) -> str:
    """The text of answers.py."""
    shapes: Json = document["components"]["schemas"]
    found: dict[str, str] = {}
    for name in ANSWERS:
        _define(name, shapes, found)
    text = "\n\n".join([HEAD, *found.values()])
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FILE), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


def _define(name: str, shapes: Json, found: dict[str, str]) -> None:
    """Put the shape, and before it those that it names, into what was found."""
    if name in found:
        return
    shape = shapes[name]
    needed = set(shape.get("required", []))
    lines = []
    for field, told in shape["properties"].items():
        kind = _type(told, shapes, found)
        lines.append(f"    {field}: {kind if field in needed else f'NotRequired[{kind}]'}")
    found[name] = "\n".join([f"class {name}(TypedDict):", *lines])


def _type(told: Json, shapes: Json, found: dict[str, str]) -> str:
    def of(one: Json) -> str:
        return _type(one, shapes, found)

    if "$ref" in told:
        return _named(told["$ref"].rsplit("/", 1)[-1], shapes, found)
    if "anyOf" in told:
        wanted = [one for one in told["anyOf"] if not one.get("$ref", "").endswith("/Stub")]
        return " | ".join(dict.fromkeys(map(of, wanted)))
    if "enum" in told or "const" in told:
        return f"Literal[{', '.join(json.dumps(one) for one in told.get('enum', [told.get('const')]))}]"
    values = told.get("additionalProperties")
    plain = {
        "array": f"list[{of(told['items'])}]" if "items" in told else "list[Any]",
        "object": f"dict[str, {of(values) if isinstance(values, dict) else 'Any'}]",
        **{"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"},
    }
    return plain.get(told.get("type", ""), "Any")


def _named(name: str, shapes: Json, found: dict[str, str]) -> str:
    if "properties" not in shapes[name]:
        return _type(shapes[name], shapes, found)
    if name in PLAIN or name.endswith("Payload"):
        return "dict[str, Any]"
    _define(name, shapes, found)
    return name


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memos_site.settings")
    django.setup()
    from memos_site.api.openapi import document

    FILE.write_text(source(document()))
