import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given

from skills.manifest import Fields
from skills.packaging import safe_html
from skills.packaging.safe_html import html
from skills.packaging.skill_md_writer import skill_md
from tests.skills.generated import FIELDS, TEXTS, patiently

# what a browser may draw: text, lists, tables, code; nothing that loads, runs or styles
TAGS = {*("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "pre", "code", "em", "strong", "s", "a")}
TAGS |= {*("ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td")}


class Seen(HTMLParser):
    """Every tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@patiently
@given(TEXTS)
def test_no_text_makes_more_than_plain_tags(text: str) -> None:
    for tag, attributes in Seen(html(text)).tags:
        assert tag in TAGS
        assert set(attributes) <= {"href", "title", "rel", "start"}
        assert re.match(r"https?:|mailto:", attributes.get("href") or "https:")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "<svg onload=alert(1)>",
        '<p id="top" style="color:red" class="x">',
        "<!-- for the agent only -->",
        "<iframe src='https://x.example'></iframe>",
    ],
)
def test_raw_html_is_shown_as_text(text: str) -> None:
    assert [tag for tag, _ in Seen(html(text)).tags if tag != "p"] == []
    assert unescape(re.sub(r"</?p>", "", html(text))).strip() == text


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "/admin/logout",
        "reference/a.md",
        "//x.example",
        "ftp://x.example",
        "#a",
        "JaVa&#x53;cript:x",
    ],
)
def test_a_link_leads_outside_or_nowhere(target: str) -> None:
    assert "href" not in html(f"[text]({target})")


def test_an_outside_link_is_without_credit_and_without_opener() -> None:
    assert html("[a](https://x.example)") == '<p><a href="https://x.example" rel="noopener nofollow">a</a></p>\n'


def test_an_image_is_a_link_to_what_it_would_have_loaded() -> None:
    assert "<img" not in html("![dot](https://x.example/dot.png)")
    assert 'href="https://x.example/dot.png"' in html("![dot](https://x.example/dot.png)")


def test_the_frontmatter_is_a_list_of_terms() -> None:
    rendered = html(skill_md(Fields(name="plan-trip", description='Plans: <b>"all"</b>'), 3))
    assert rendered.startswith("<dl><dt>name</dt><dd>plan-trip</dd><dt>description</dt><dd>Plans: &lt;b&gt;")
    assert "<dt>version</dt><dd>3</dd>" in rendered
    assert "<hr" not in rendered
    assert "<h2" not in rendered


@pytest.mark.parametrize(
    "head", ["name: a\nhooks:\n  - run: x", "name: [a", "just text", "name: a\nmetadata:\n  x:\n    y: z"]
)
def test_a_frontmatter_that_is_not_ours_is_shown_as_it_is(head: str) -> None:
    assert html(f"---\n{head}\n---\nBody") == f"<pre><code>{head}</code></pre><p>Body</p>\n"


def test_what_cannot_be_seen_is_spelled_out() -> None:
    assert html("a\u202eb `c\u200bd`") == "<p>a&lt;U+202E&gt;b <code>c&lt;U+200B&gt;d</code></p>\n"
    assert "&lt;U+E0041&gt;" in html("---\ndescription: x\U000e0041\n---\n")


def test_tables_and_code_are_rendered() -> None:
    assert "<td>1</td>" in html("| a |\n|---|\n| 1 |\n")
    assert "<pre><code>x &lt; y\n</code></pre>" in html("```python\nx < y\n```")


@patiently
@given(FIELDS)
def test_every_skill_begins_with_its_terms_and_its_title(fields: Fields) -> None:
    assert re.match(r"<dl>(<dt>.*</dt><dd>.*</dd>)+</dl><h1>", html(skill_md(fields, 1)))


def test_a_long_text_is_read_in_parts_that_hold_all_of_it() -> None:
    steps = [f"{n}. Step {n} of the list " + "word " * 40 for n in range(1, 401)]
    chapters = [f"## Chapter {n}\n\n" + f"Text of chapter {n}, see [there][far]. " + "word " * 700 for n in range(20)]
    body = "\n".join(steps) + "\n\n" + "\n\n".join(chapters) + "\n\n[far]: https://example.com/far\n"
    parts = [safe_html.part(body, 1)]
    while parts[-1].number < parts[-1].count:
        parts.append(safe_html.part(body, parts[-1].number + 1))
    assert len(parts) > 3
    assert all(len(part.html) < 2 * safe_html.LONGEST_PART for part in parts)
    texts = [re.findall(r"Step \d+ of|Text of chapter \d+,", part.html) for part in parts]
    whole = safe_html.html(body)
    assert [one for shown in texts for one in shown] == re.findall(r"Step \d+ of|Text of chapter \d+,", whole)
    assert sum(part.html.count("https://example.com/far") for part in parts) == whole.count("https://example.com/far")
    second = re.search(r"Step (\d+) of", parts[1].html)
    assert second and f'<ol start="{second[1]}"' in parts[1].html


@pytest.mark.parametrize(("asked", "shown"), [(0, 1), (2, 2), (99, 5)])
def test_a_part_that_is_not_there_is_the_nearest_one(asked: int, shown: int) -> None:
    body = "\n\n".join("paragraph " * 2_000 for _ in range(5))
    assert safe_html.part(body, asked).number == shown


def test_a_block_that_cannot_be_cut_is_one_part() -> None:
    assert safe_html.part("```\n" + "code\n" * 20_000 + "```\n", 1).count == 1
