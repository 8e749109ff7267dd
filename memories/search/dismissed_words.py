"""Removal of dismissed sentences from the passages, titles and notes of episodes, in search results and contexts.

A sentence counts as dismissed where a tombstone holds in a scope that the caller reads. Callers with the permission to
review see everything, and so does everybody who opens the episode itself.
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


def dismissed_sentences(utterances: Sequence[Utterance], trust: Trust) -> list[list[str]]:
    """For each text its dismissed sentences, or the whole text if it was dismissed as such. Tombstones of the caller's
    scopes count; of the utterance's own scope if the caller reads all. At most two SQL statements for all texts."""
    scopes = frozenset(utterance.scope for utterance in utterances) if trust.scopes is None else trust.scopes
    if not utterances or not ask(_any_tombstone(scopes), INSTANT):
        return [[] for _ in utterances]
    stones = Tombstone.objects.met_in(*scopes)
    all_forms = [_forms(utterance) for utterance in utterances]
    matches = stones.stated_by(list(dict.fromkeys(form for forms in all_forms for form in forms))[:MOST_COMPARED])
    return [
        _dismissed_parts(utterance, forms, matches, trust)
        for utterance, forms in zip(utterances, all_forms, strict=True)
    ]


@lru_cache(maxsize=128)
def _any_tombstone(scopes: frozenset[str]) -> Statement | None:
    return statement_of(Tombstone.objects.met_in(*scopes).values("pk")[:1])


def without_dismissed(utterances: Sequence[Utterance], trust: Trust) -> list[str]:
    """The texts with LEFT_OUT in the place of each dismissed sentence; unchanged for a caller who may review."""
    if trust.sees_dismissed:
        return [utterance.text for utterance in utterances]
    texts = []
    for utterance, dismissed_parts in zip(utterances, dismissed_sentences(utterances, trust), strict=True):
        text = utterance.text
        for sentence in sorted(dismissed_parts, key=len):  # the whole text last: if no sentence of it says so alone
            text = text.replace(sentence, LEFT_OUT)
        texts.append(text)
    return texts


def without_dismissed_passages(results: Sequence[Result], trust: Trust) -> list[Result]:
    """Search results whose episodes hold no dismissed sentence."""
    hits = [
        (result.memory.scope, hit)
        for result in results
        if result.memory.type == Type.EPISODIC
        for hit in result.passages
    ]
    utterances = [Utterance(hit.text, scope, hit.actor) for scope, hit in hits]
    texts = leave_out([result.memory for result in results], trust, beside=utterances)
    by_hit = {id(hit): hit._replace(text=text) for (_, hit), text in zip(hits, texts, strict=True)}
    return [replace(result, passages=[by_hit.get(id(hit), hit) for hit in result.passages]) for result in results]


def leave_out(memories: Sequence[Memory], trust: Trust, beside: Sequence[Utterance] = ()) -> list[str]:
    """Remove dismissed sentences from the content, title and outcome note of the episodes among `memories`; their
    rows are not saved. Returns the texts of `beside` without theirs, found by the same SQL statements."""
    rows = [row for row in memories if row.type == Type.EPISODIC]
    texts_by_row = [[row.content, row.episode.title, str(row.episode.outcome_details.get(NOTE, ""))] for row in rows]
    utterances = [Utterance(text, row.scope) for row, texts in zip(rows, texts_by_row, strict=True) for text in texts]
    masked_texts = without_dismissed([*utterances, *beside], trust)
    for row, content, title, note in zip(rows, masked_texts[::3], masked_texts[1::3], masked_texts[2::3], strict=False):
        row.content, row.episode.title = content, title
        if note:
            row.episode.outcome_details = {**row.episode.outcome_details, NOTE: note}
    return masked_texts[len(utterances) :]


def _forms(utterance: Utterance) -> dict[str, str]:
    """Forms to compare with tombstones, each with the part of the text that it stands for: the sentences, the whole
    text, and both with the speaker in front where they say "I"."""
    parts = {part: part for part in (*sentences(utterance.text), utterance.text.strip()) if part}
    if not utterance.speaker or roles.is_role(utterance.speaker):
        return parts
    return parts | {f"{utterance.speaker}: {part}": part for part in parts if _OF_ONESELF.search(part)}


def _dismissed_parts(
    utterance: Utterance, forms: dict[str, str], matches: Mapping[Tombstone, set[str]], trust: Trust
) -> list[str]:
    scopes = {utterance.scope} if trust.scopes is None else trust.scopes
    form_sets = [matched_forms for stone, matched_forms in matches.items() if stone.is_met_in(scopes)]
    return list(
        {part: None for form, part in forms.items() if any(form in matched_forms for matched_forms in form_sets)}
    )
