"""The rules over texts that people changed before they sent them: what they change in several of one kind is proposed.

The greeting, the sign-off and words that are written anew are alike in two texts seldom by chance; forms are in three.
What was kept counts against. The caller holds the lock of the scope.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from consolidation.learning.statements.text_edits import Edit
from consolidation.learning.statements.text_statements import names_of_kind
from consolidation.models import case_of
from consolidation.models.groups import RuleGroup
from consolidation.patterns.candidates import CandidateWriter
from consolidation.patterns.counts import GroupCounts
from consolidation.patterns.rules import Detection, GroupIdentity, Rule, identity_digest
from memories.intake.claims import key_of
from memories.models import DigestKey, Event
from memories.search.context.queries import ALL_TEXTS
from memories.values.choices import Category

FORMS = Rule("forms of texts", threshold=3, confidence=35, by_units=True, share=(3, 4))
WORDS = Rule("words of texts", threshold=2, confidence=35, by_units=True, share=(3, 4))


def count_edits(
    final: Event, kind: str, edits: Iterable[Edit], words_left: Iterable[str], *, at: datetime
) -> Counter[str]:
    """Count what a person did to the draft of a text, which `final` holds as it was sent, with its episode loaded.

    `words_left`: the words that were left; they count where others have replaced them.
    """
    counters: Counter[str] = Counter()
    edits = [*edits, *(Edit(f"word {word}", is_verbatim=True, is_of_all=True) for word in _replaced(final, words_left))]
    for rule in (FORMS, WORDS):
        detections = [_detection(final, kind, edit) for edit in edits if edit.is_verbatim == (rule is WORDS)]
        counts = GroupCounts(rule, final.episode.scope, detections)
        writer = CandidateWriter(rule, counts, remaining=None, at=at)
        for detection in detections:
            writer.record(detection)
        counts.save()
        counters += writer.counters
    return counters


def _replaced(final: Event, words_left: Iterable[str]) -> list[str]:
    """Those of these words that somebody replaced in another text of the scope."""
    scope, key = final.episode.scope, DigestKey.current()
    names = {identity_digest(key, WORDS.name, scope, _family("", f"word {word}")): word for word in words_left}
    groups = RuleGroup.objects.filter(scope=scope, rule=WORDS.name, identity__in=names)
    return [names[bytes(identity)] for identity in groups.values_list("identity", flat=True)]


def _family(kind: str, about: str) -> GroupIdentity:
    return (kind, about)


def _detection(final: Event, kind: str, edit: Edit) -> Detection:
    kind_of_rule = "" if edit.is_of_all else kind
    family = _family(kind_of_rule, edit.about)
    content = edit.words if edit.is_of_all else f"{kind[0].upper()}{kind[1:]}: {edit.words}"
    facts: dict[str, Any] = {"key": key_of(content), "content": content} if edit.change else {}
    return Detection(
        (*family, edit.change),
        unit=case_of(final.episode.thread_id, final.episode_id),
        at=final.at,
        event_id=final.pk,
        episodes=(final.episode_id,),
        sensitivity=final.episode.memory.sensitivity,
        source=final.episode.source,
        category=Category.PREFERENCE,
        family=family,
        tags=(ALL_TEXTS,) if edit.is_of_all else tuple(names_of_kind(kind)),
        **facts,
    )
