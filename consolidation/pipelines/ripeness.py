"""When a pattern is enough for a skill, and when that skill is worth a decision of a person."""

from collections.abc import Iterable

from django.conf import settings

from consolidation.learning.effects.effects import are_chores, are_of_lines
from consolidation.learning.writing.competence import Competence
from consolidation.models import Pattern, Sighting

ENOUGH = 5  # cases after which a combination of skills is one of its own
ALIKE = 0.75  # share of common effects above which two sets are hardly two skills


def is_ripe(pattern: Pattern) -> bool:
    """Enough cases ended well; more of them where other skills say most of it already.

    Command lines that only edited and tidied up are none: nothing tells when to do that, or whether it is enough.
    That is a combination of effects whose parts are skills (each says what it often goes with), and a set that hardly
    differs from one that more cases speak for.
    """
    least = settings.MIN_PATTERN_OCCURRENCES
    if pattern.kind != Pattern.Kind.EFFECTS:
        return pattern.cases >= least
    if are_chores(pattern.effects) or (pattern.cases < least and not _is_part(pattern, least)):
        return False
    if pattern.cases >= max(ENOUGH, least):
        return True
    kin = Pattern.objects.kin(pattern).ripe(least).filter(effects__overlap=pattern.effects)
    return not _is_covered_by(pattern, kin.only("effects", "cases"))


def waits(pattern: Pattern, competence: Competence) -> bool:
    """Whether a person is asked about the skill. Otherwise it is only kept: to be found, and to grow.

    Not asked about: to change nothing, which is a lesson and no skill; what says no more than its name ("Create a
    ticket. Use when asked to create a ticket"); what ended well by itself in too few cases; and where those are few,
    what mostly ended well as a part of more: as a skill of its own it has the next run stop early.
    """
    if pattern.kind != Pattern.Kind.EFFECTS:
        return True
    if not pattern.effects or not competence.separates:
        return False
    if pattern.cases < settings.MIN_PATTERN_OCCURRENCES:
        return False
    return pattern.cases >= ENOUGH or 2 * pattern.cases >= _cases_with(pattern)


def _is_part(pattern: Pattern, least: int) -> bool:
    """It ended well by itself, and as part of more in enough other cases."""
    if not pattern.cases or not pattern.effects or are_of_lines(pattern.effects):
        return False  # what a command line is a part of says little
    return _cases_with(pattern) >= least


def _cases_with(pattern: Pattern) -> int:
    """The cases that ended well with its effects, whatever else they did."""
    wider = Pattern.objects.kin(pattern).filter(effects__contains=pattern.effects)
    return Sighting.objects.filter(pattern__in=[pattern.pk, *wider.values_list("pk", flat=True)]).cases_well()


def _is_covered_by(pattern: Pattern, kin: Iterable[Pattern]) -> bool:
    own, parts = set(pattern.effects), set[str]()
    for other in kin:
        theirs = set(other.effects)
        parts |= theirs if theirs < own else set()
        alike = len(own & theirs) / len(own | theirs)
        if alike > ALIKE and (other.cases, other.pk) > (pattern.cases, pattern.pk):
            return True
    return bool(own) and parts == own
