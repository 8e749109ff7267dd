"""Patterns tried only where their words stand find what they find when each is tried everywhere."""

import re
import sys
from pathlib import Path

import pytest

from memories.scanning import prompt_injection
from memories.scanning.alternatives import AlternativePattern, Alternatives, Sentence
from memories.scanning.required_words import FLAGS, Words, folded, marked_words, parsed, plain

SENTENCES = Path(__file__).parent / "sentences"
PATTERNS = [pattern for alternatives in prompt_injection.EVERY.values() for pattern in alternatives.patterns]
TRIED = [pattern[0] if isinstance(pattern, Sentence) else pattern for pattern in PATTERNS]


def required_words(pattern: str) -> list[Words]:
    return [plain(words) for words in marked_words(parsed(pattern))]


def test_no_match_of_a_pattern_is_missed() -> None:
    lines = [line.partition("\t")[2] for file in SENTENCES.iterdir() for line in file.read_text("utf-8").splitlines()]
    texts = [
        *lines,
        *(line.upper() for line in lines[::5]),
        *("\n".join(lines[n : n + 5]) for n in range(0, len(lines), 5)),
    ]
    for alternatives in prompt_injection.EVERY.values():
        alone = [pattern for pattern in alternatives.patterns if isinstance(pattern, str)]
        tried, together = Alternatives(*alone), re.compile("|".join(alone), FLAGS)
        for text in texts:
            matches = together.search(text) is not None
            assert bool(tried.search(text)) == matches, text
            assert bool(list(tried.finditer(text))) == matches, text


def test_a_command_that_searches_nothing_does_not_wait_for_patterns() -> None:
    unsearched = Alternatives("(")
    with pytest.raises(re.error):
        unsearched.search("a text")


def test_the_patterns_of_a_sentence_match_in_it_in_any_order_and_not_beyond_it() -> None:
    both = Alternatives(Sentence(r"\bparcel\b", r"\b(?:lost|broken)\b"))
    assert both.search("Broken it was, the PARCEL of host.example, and late")
    assert both.search("The parcel arrived broken")
    assert not both.search("The parcel arrived. The lamp is broken.")
    assert not both.search("The parcel arrived\nThe lamp is broken")


def test_no_sentence_is_read_of_a_text_that_holds_only_some_of_its_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(AlternativePattern, "_in_sentence", lambda _, match: read.append(match.start()))
    links = Alternatives(Sentence("https?://", r"\brun\b", r"\bscript\b"))

    assert not links.search("https://a.example " * 100)
    assert not read


def test_matches_come_in_the_order_of_the_text() -> None:
    found = Alternatives("two", "one").finditer("one, TWO and one")
    assert [match.start() for match in found] == [0, 5, 13]


def test_every_match_holds_the_words_that_its_pattern_needs() -> None:
    for pattern in TRIED:
        compiled, needed = re.compile(pattern, FLAGS), required_words(pattern)
        assert needed, f"{pattern} would be tried on every text"
        for file in SENTENCES.iterdir():
            for match in compiled.finditer(file.read_text("utf-8")):
                shown = folded(match[0])
                assert all(any(word in shown for word in words) for words in needed), (pattern, match[0])


def test_whatever_equals_a_letter_without_case_is_folded_to_it() -> None:
    letters = "".join(
        sorted({char for one in TRIED for words in required_words(one) for word in words for char in word})
    )
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]))
    for char in re.findall(f"[{re.escape(letters)}]", every, FLAGS):
        assert re.fullmatch(re.escape(folded(char)), char, FLAGS)
        assert folded(char) in letters


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        ("ab?c", [{"a"}, {"c"}]),
        ("(?:foo|bar)+ x*", [{"foo", "bar"}, {" "}]),
        ("(?:foo|b?)end", [{"end"}]),
        (r"\bone\b two(?!three)", [{"one two"}]),
        ("(?:ab(?:long|words)|cd){2}", [{"ablong", "abwords", "cd"}]),
        ("[xy]z|q", [{"z", "q"}]),
        ("(?:abc)?", []),
    ],
)
def test_what_a_pattern_needs_is_read_from_it(pattern: str, needed: list[set[str]]) -> None:
    assert [set(words) for words in required_words(pattern)] == needed


def test_a_pattern_of_which_nothing_is_certain_is_tried_everywhere() -> None:
    assert Alternatives(r"\d\d", "never").search("of 42")
