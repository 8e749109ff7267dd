"""Generated fields of skills: arbitrary texts, and the pieces of Markdown and YAML that break naive writers."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from memories.scanning import credentials
from skills.manifest import Fields, Step, TrackRecord
from skills.markdown import SECTIONS
from skills.names import EXTENSIONS

patiently = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])

PIECES = st.sampled_from([
    *(f"## {title}" for title in SECTIONS),
    *("\\## Trigger", "## trigger ##", "   ## Scripts", "# Heading", "### Example 1", "Trigger\n---", "==="),
    *("## Other", "---", "```", "````", "~~~", "```markdown", "    code", "\tcode", "<!--", "-->", "<script>",),
    *("> quote", "| a | b |"),
    *("- item", "-", "- -", "--", "\\--", "1. one", "12) twelve", "* star", "+ plus", "  indented",),
    *("[a]: b", "***", "___"),
    *(": ", "key: value", '"', "'", "#", " # no comment", "{a}", "[b]", "&x *x", "!tag", "%", "@", "|", ">", "`", "\\"),
    *("true", "null", "3", "2026-01-01", "~", ",", "，", "、", "旅行计划", "日程：三天"),
    *("\u202e", "\u200b", "\ufeff", "🧭"),
    *("\x00", "\x07", "\x85", "\u2028", "\r\n", "\x0c", "\ufffe", "See also:", "- Successes: 3"),
])  # fmt: skip
SPACES = st.sampled_from(["", " ", "  ", "\n", "\n\n", "\n  ", "\n    ", "\t"])


def has_no_secret(text: str) -> bool:
    return not credentials.is_in(text)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A function, because failure messages repeat every strategy that is a value. What looks like a credential would be
    masked."""
    pieces = st.lists(st.one_of(SPACES, PIECES), max_size=16).map("".join)
    return draw((st.text(max_size=40) | pieces).filter(has_no_secret))


TEXTS = texts()
LISTS = st.lists(TEXTS, max_size=4)
FILE_NAMES = st.builds(
    str.__add__, st.from_regex(r"[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True), st.sampled_from(sorted(EXTENSIONS))
)
FILES = st.none() | st.dictionaries(FILE_NAMES, TEXTS, max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
STEPS = st.builds(
    Step,
    step=TEXTS,
    tool=TEXTS,
    args_schema=st.dictionaries(TEXTS, JSON, max_size=3),
    validation=TEXTS,
    optional=st.booleans(),
    share=st.floats(0, 1),
)
COUNTS = st.integers(0, 1000)
RECORDS = st.none() | st.builds(
    TrackRecord, successes=COUNTS, failures=COUNTS, partials=COUNTS, since=TEXTS, until=TEXTS
)
NAMES = TEXTS.map(lambda text: f"旅{text}") | st.text("abcXYZ-_ é北", max_size=90).map(lambda text: text.strip() or "a")

FIELDS = st.builds(
    Fields,
    name=NAMES,
    title=TEXTS,
    description=(TEXTS | st.text(min_size=1000, max_size=1300)).map(lambda text: f"Does {text}").filter(has_no_secret),
    trigger=LISTS,
    procedure=TEXTS | LISTS,
    experience=LISTS,
    preference=LISTS,
    examples=LISTS,
    scripts=FILES,
    tool=st.none() | LISTS,
    others=FILES,
    assets=FILES,
    recipe=st.lists(STEPS, max_size=2),
    failure_modes=LISTS,
    fallbacks=LISTS,
    performance=RECORDS,
    license=TEXTS,
    compatibility=TEXTS,
    allowed_tools=TEXTS,
    metadata=st.dictionaries(TEXTS, TEXTS, max_size=2).filter(
        lambda pairs: not any(credentials.is_in(f"{name}: {value}") for name, value in pairs.items())
    ),
    reference_folder=st.just("reference"),
)
