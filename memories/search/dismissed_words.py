"""What was said in episodes, as it is offered: without the sentences of which people said no where the caller reads.

Who decides about dismissals reads all of it, as everybody does who opens the episode itself.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from memories.models import Memory, Tombstone
from memories.models.built import INSTANT, Statement, ask, statement_of
from memories.search.results import Result
from memories.values import roles
from memories.values.choices import Type
from memories.values.text import sentences
from memories.values.trust import Trust

NOTE = "note"  # in the details of an outcome
LEFT_OUT = "[left out: people dismissed this]"
MOST_COMPARED = 1_000  # sentences of one answer: each costs half a millisecond; ten episodes have fewer than 200
_OF_ONESELF = re.compile(r"\b(?:I|me|my|mine|we|us|our)\b|[我俺咱]")


class Utterance(NamedTuple):
    text: str
    scope: str
    speaker: str = ""


def stated(said: Sequence[Utterance], trust: Trust) -> list[list[str]]:
    """For each text those of its sentences, or the text itself, that state what people dismissed where the caller
    reads, or, if that is everywhere, where it was said. As many statements for many texts as for one."""
    scopes = frozenset(words.scope for words in said) if trust.scopes is None else trust.scopes
    if not said or not ask(_one_met(scopes), INSTANT):
        return [[] for _ in said]
    stones = Tombstone.objects.met_in(*scopes)
    forms = [_forms(words) for words in said]
    met = stones.stated_by(list(dict.fromkeys(form for read in forms for form in read))[:MOST_COMPARED])
    return [_met(one, read, met, trust) for one, read in zip(said, forms, strict=True)]


@lru_cache(maxsize=128)
def _one_met(scopes: frozenset[str]) -> Statement | None:
    return statement_of(Tombstone.objects.met_in(*scopes).values("pk")[:1])


def without_dismissed(said: Sequence[Utterance], trust: Trust) -> list[str]:
    """The texts with a mark in the place of each such sentence."""
    if trust.sees_dismissed:
        return [words.text for words in said]
    texts = []
    for one, stones in zip(said, stated(said, trust), strict=True):
        text = one.text
        for sentence in sorted(stones, key=len):  # the whole text last: if no sentence of it says so alone
            text = text.replace(sentence, LEFT_OUT)
        texts.append(text)
    return texts


def offered(results: Sequence[Result], trust: Trust) -> list[Result]:
    """Results of a search, of which episodes say nothing that was dismissed."""
    hits = [
        (result.memory.scope, hit)
        for result in results
        if result.memory.type == Type.EPISODIC
        for hit in result.passages
    ]
    said = [Utterance(hit.text, scope, hit.actor) for scope, hit in hits]
    words = leave_out([result.memory for result in results], trust, beside=said)
    by_hit = {id(hit): hit._replace(text=text) for (_, hit), text in zip(hits, words, strict=True)}
    return [replace(result, passages=[by_hit.get(id(hit), hit) for hit in result.passages]) for result in results]


def leave_out(memories: Sequence[Memory], trust: Trust, beside: Sequence[Utterance] = ()) -> list[str]:
    """The same in what episodes are about, their titles, and the notes of their outcomes, whose rows are not saved.
    What is said `beside` is compared with them, and returned."""
    rows = [row for row in memories if row.type == Type.EPISODIC]
    texts_by_row = [[row.content, row.episode.title, str(row.episode.outcome_details.get(NOTE, ""))] for row in rows]
    utterances = [Utterance(text, row.scope) for row, texts in zip(rows, texts_by_row, strict=True) for text in texts]
    words = without_dismissed([*utterances, *beside], trust)
    for row, content, title, note in zip(rows, words[::3], words[1::3], words[2::3], strict=False):
        row.content, row.episode.title = content, title
        if note:
            row.episode.outcome_details = {**row.episode.outcome_details, NOTE: note}
    return words[len(utterances) :]


def _forms(one: Utterance) -> dict[str, str]:
    """How its sentences and the text are compared, by each what stands in the text. "I" is whoever speaks."""
    parts = {part: part for part in (*sentences(one.text), one.text.strip()) if part}
    if not one.speaker or roles.is_role(one.speaker):
        return parts
    return parts | {f"{one.speaker}: {part}": part for part in parts if _OF_ONESELF.search(part)}


def _met(one: Utterance, forms: dict[str, str], stated: Mapping[Tombstone, set[str]], trust: Trust) -> list[str]:
    scopes = {one.scope} if trust.scopes is None else trust.scopes
    met = [stating for stone, stating in stated.items() if stone.is_met_in(scopes)]
    return list({part: None for form, part in forms.items() if any(form in stating for stating in met)})
