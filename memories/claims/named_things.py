"""Who or what a claim is about: companies, people, repositories, hosts and other names, as they are written in it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memories.claims.chinese import CLASS
from memories.claims.claim import Claim
from memories.claims.pieces import URL
from memories.claims.reading import claim_of
from memories.claims.words import meanings
from memories.lexicon import words
from memories.lexicon.english_words import OPENERS
from memories.values.text import plain_name

COMPANY, PERSON, REPOSITORY, HOST, OTHER = "company", "person", "repository", "host", "other"
LONGEST, MOST, LONGEST_READ = 200, 12, 5_000
NOBODY = words(  # of whom nothing is known by such a name
    """
    user the-user users agent agents assistant i we you he she it they me us system customer customers client clients
    everyone team the-team our-team person people 用户 客户 我 我们 你 您 助手 系统 团队
    """
)
_SUFFIX = r"(?:Corp(?:oration)?|Inc|LLC|Ltd|GmbH|AG|PLC|plc|S\.?A|B\.?V|Co|Company|Limited)\b\.?"
_WORD = r"[^\W\d_][\w&'’+-]*"
_PHRASE = re.compile(rf"(?<![\w/@.-]){_WORD}(?:[ ]{_WORD})*(?:,?[ ]{_SUFFIX})?")
_PERSON = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){1,2}")
_COMPANY = re.compile(rf".*[ ,]{_SUFFIX}", re.DOTALL)
_CHINESE_COMPANY = re.compile(rf"(?<![{CLASS}])[{CLASS}]{{2,10}}?(?:有限责任公司|股份有限公司|有限公司|公司|集团)")
_REPOSITORY = re.compile(
    r"(?:github\.com|gitlab\.com|bitbucket\.org)[/:]([\w.-]{1,80}/[\w.-]{1,80}?)(?=\.git\b|[\s/,;:?#)\]'\"]|\.?(?:\s|$))"
    r"|\brepo(?:sitory)?[ ]`?([\w.-]{1,80}/[\w.-]{1,80})"
)
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(
    rf"(?<![\w@./-])(?:https?://)?"
    rf"({_LABEL}(?:\.{_LABEL}){{1,6}}\.[a-z]{{2,12}}|{_LABEL}\.(?:internal|local|lan))(?![\w@-])"
)
_URL = re.compile(URL)


class NameMention(NamedTuple):
    """A name in a claim. `name`: equal for one subject; `title`: as it is written. `is_topic`: the claim is about it,
    which makes it a subject; another name is counted for a subject that is known."""

    name: str
    title: str
    kind: str
    is_topic: bool

    def joined_to(self, first: "NameMention") -> "NameMention":
        """The first of two of one name, with what this one knows of it."""
        kind = self.kind if first.kind == OTHER else first.kind
        return first._replace(kind=kind, is_topic=first.is_topic or self.is_topic)


def subjects_in(
    content: str,
    *,
    claim: Claim | None = None,
    company: str | None = None,
    payload: Mapping[str, Any] | None = None,
    of_people: bool = False,
) -> list[NameMention]:
    """The names in a claim, each once, what it is surely about first; at most MOST.

    `claim`: what was read in it, where that is at hand. `of_people`: its category is one of claims about people, so
    that a name of two or three words is a person's.
    """
    content = content[:LONGEST_READ]
    by_name: dict[str, NameMention] = {}
    subject = (payload or {}).get("subject")
    for written, kind, is_topic in [
        *([(company, COMPANY, True)] if company else []),
        *([(subject, kind_of(subject), True)] if isinstance(subject, str) else []),
        *_addresses(content),
        *_names(content, claim),
    ]:
        mention = _mention(written, kind, is_topic=is_topic, of_people=of_people)
        if mention is not None:
            by_name[mention.name] = mention.joined_to(by_name.get(mention.name, mention))
    return list(by_name.values())[:MOST]


def _mention(written: str, kind: str, *, is_topic: bool, of_people: bool) -> NameMention | None:
    title = " ".join(written.split())
    name = plain_name(title)
    if len(title) > LONGEST or name.replace(" ", "-") in NOBODY or not any(map(str.isalpha, name)):
        return None
    is_person = of_people and is_topic and kind == OTHER and _PERSON.fullmatch(title)
    return NameMention(name, title, PERSON if is_person else kind, is_topic)


def kind_of(title: str) -> str:
    """What a name is, as far as its form tells."""
    if _COMPANY.fullmatch(title) or _CHINESE_COMPANY.fullmatch(title):
        return COMPANY
    if _HOST.fullmatch(title):
        return HOST
    return REPOSITORY if re.fullmatch(r"[\w.-]+/[\w.-]+", title) else OTHER


def _addresses(content: str) -> Iterator[tuple[str, str, bool]]:
    for match in _REPOSITORY.finditer(content):
        yield (match[1] or match[2]).removesuffix("."), REPOSITORY, True
    for match in _HOST.finditer(content.lower()):
        if match[1] not in ("github.com", "www.github.com", "gitlab.com"):
            yield match[1].removeprefix("www."), HOST, True
    for match in _CHINESE_COMPANY.finditer(content):
        yield match[0], COMPANY, True


def _names(content: str, claim: Claim | None) -> Iterator[tuple[str, str, bool]]:
    """The phrases in which the claim recognises a name; those that open a sentence are its topic."""
    hard = (claim or claim_of(content)).hard
    names = {token.removeprefix("name:") for token in hard if token.startswith("name:")}
    topics = {token.removeprefix("subject:") for token in hard if token.startswith("subject:")}
    if not names and not _COMPANY.match(content):
        return
    for match in _PHRASE.finditer(_URL.sub(" ", content)):
        for run in _capital_runs(match[0]):
            title = " ".join(run)
            stems = {value for word in run for _, value, *_ in meanings(word.rstrip(".,"))}
            is_company = bool(_COMPANY.fullmatch(title))
            if is_company or stems & names:
                is_topic = bool(stems & topics) and not (len(run) == 1 and title.isupper())  # API must ...
                yield title, COMPANY if is_company else OTHER, is_company or is_topic


def _capital_runs(phrase: str) -> Iterator[list[str]]:
    """The runs of words that begin with a capital, without the article in front."""
    run: list[str] = []
    for word in [*phrase.replace("’", "'").split(), ""]:
        bare = word.removesuffix("'s")
        if bare[:1].isupper() and not (not run and bare.lower() in OPENERS):
            run.append(bare)
            if bare == word:
                continue
        if run:
            yield run
        run = []
