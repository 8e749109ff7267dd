"""Nothing is defined that nothing uses: vulture, which knows neither templates nor the names that frameworks call."""

import re
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("memos_site", "memories", "skills", "consolidation")
CALLED_BY_A_FRAMEWORK = re.compile(
    r"add_arguments|get_\w+|has_\w+_permission|save_\w+|response_add|view_on_site|clean_\w+|process_(exception|view)"
    r"|can_fast_delete|relabeled_clone|login|describe|(state|database)_(forwards|backwards)|patch|authenticate_header"
    r"|allow_request|select_(parser|renderer)|connect_unix_socket|enqueue|(queue|lock)_size|accept_connections|maintenance|has_perm"
    r"|__getattr__"
)
OF_DECORATORS = ["@*validator*", "@register*", "@*.register*", "@admin.*", "@*computed_field*", "@display*"]
KINDS = ("function", "method", "property", "class", "import")
OF_FRAMEWORKS = {"Meta", "TokenSchemes", "SessionScheme", "__getattr__"}  # read by Django, DRF and Python
FOR_OTHERS = {  # tests, migrations, translators and type checkers use them
    *("CreateModels", "DeleteInDatabase", "PRUNABLE_BELOW", "PROSE"),
    *(
        "KINDS_OF_MEMORIES",
        "REVIEWS",
        "SINCE_A_DISMISSAL",
        "KINDS_OF_EVIDENCE",
        "SPEAKERS",
        "COUNTERS",
        "RULES_OF_THE_SCAN",
    ),
}
NOT_OURS = (  # names that Django asks for, and frameworks of agents
    *("memos_site/settings.py", "memos_site/platform/formats"),
    *(f"memos_site/launcher/{name}.py" for name in ("langgraph", "langchain", "openai_agents")),
)
IN_TEXT = re.compile(r"[A-Za-z_]\w+")


def words_of_texts() -> set[str]:
    """Names in templates, and in strings of programs: jobs, checks and hooks are named by their dotted path."""
    words = {word for path in (ROOT / "templates").rglob("*.html") for word in IN_TEXT.findall(path.read_text())}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for text in re.findall(r'"([\w.]+)"', path.read_text()):
                words.update(text.split("."))
    return words


def test_every_definition_is_used() -> None:
    found = Vulture(ignore_decorators=OF_DECORATORS)
    found.scavenge([str(ROOT / room) for room in ROOMS], exclude=["*/migrations/*"])
    texts = words_of_texts()
    known = texts | OF_FRAMEWORKS | FOR_OTHERS
    unused = [
        f"{path}:{item.first_lineno} {item.name}"
        for item in found.get_unused_code()
        if (item.typ in KINDS or (item.typ == "variable" and item.name.isupper()))
        and not (path := str(item.filename.relative_to(ROOT))).startswith(NOT_OURS)
        and not CALLED_BY_A_FRAMEWORK.fullmatch(item.name)
        and item.name not in known
    ]
    assert unused == []
