"""One row of every model that carries trust, for tests of who sees it."""

from typing import Any
from uuid import uuid4

from consolidation.models import (
    ArgumentFact,
    ArgumentUse,
    CommandAttempt,
    CommandFact,
    GuidanceCurve,
    Pattern,
    PendingProfile,
    PlannedRun,
    PlanShape,
    Run,
    RunProfile,
    Sighting,
    SkillLines,
    SkillOffer,
    SkillWorth,
    StatementMessage,
)
from memories.models import (
    Adaptation,
    Event,
    Evidence,
    Memory,
    Performance,
    Proposal,
    Relation,
    Tombstone,
)
from memories.values.choices import Sensitivity
from tests.make import ANNA, AT, make_memory, make_run, make_skill, user


def make_secrets(word: str, sensitivity: int) -> None:
    """One row of everything that carries trust, each saying `word`; rows of low sensitivity link to them."""
    facts: dict[str, Any] = {"sensitivity": sensitivity, "scope": word}
    memory = make_memory(f"{word} content", key=word, tags=[word], payload={"said": word}, **facts)
    memory.promote(by=ANNA, at=AT, why=word)
    run = make_run(messages=[user(word)], title=word, scope=word, sensitivity=Sensitivity(sensitivity).label)
    skill = make_skill(f"{word}-skill", content=f"{word} skill", **facts)
    shared = {"scope": "", "sensitivity": Sensitivity.LOW}
    low = make_memory("Acme pays late", **shared)
    for about in (memory, low):
        Evidence.objects.create(memory=about, occasion=str(uuid4()), episode_id=run.pk, kind="supports", at=AT)
    Relation.objects.create(source=low, predicate="supports", target=memory)
    Relation.objects.create(source=memory, predicate=word, target=low)
    Tombstone.objects.bury(memory, by=ANNA, why=word, at=AT)
    for own in (facts, shared):
        said = word if own is facts else "late"
        told = dict.fromkeys(("memory_key", "content", "plugin", "description", "applied_by"), said)
        Adaptation.objects.create(memory=memory if own is shared else None, applied_at=AT, **told, **own)
        Proposal.objects.create(
            kind="revision", memory=memory, why=said, fingerprint=uuid4().bytes, made_by="P01", opened_at=AT, **own
        )
        pattern = Pattern.objects.create(
            signature=said, signature_sha256=uuid4().bytes, first_seen_at=AT, last_seen_at=AT,
            memory=memory if own is shared else None, **own,
        )  # fmt: skip
        Sighting.objects.create(pattern=pattern, episode_id=run.pk, case=run.pk, outcome="success", at=AT)
        Run.objects.create(kind="consolidate", trigger="page", error=said, **own)
        make_counted(said, run, memory if own is shared else None, own)
    Performance.objects.create(memory=skill.memory)
    make_guided(word, run, skill.memory, low)


def make_counted(said: str, run: Memory, memory: Memory | None, own: dict[str, Any]) -> None:
    """Facts that are counted from runs. Those of a memory that stands higher than they do say what it says."""
    said = f"{memory.key} {uuid4()}" if memory else f"{said} {uuid4()}"
    command = CommandFact.objects.create(purpose=said[:64], place="", words=said, **own)
    argument = ArgumentFact.objects.create(tool=said, argument="id", words=said, **own)
    for fact in (command, argument):
        type(fact).objects.filter(pk=fact.pk).update(memory=memory)
    shown: dict[str, Any] = {"episode_id": run.pk, "case": run.pk, "at": AT}
    shape = PlanShape.objects.create(sha256=uuid4().bytes, steps=said, graph={}, error=said, **own)
    PlanShape.objects.filter(pk=shape.pk).update(memory=memory)
    PlannedRun.objects.create(shape=shape, outcome="success", **{**shown, "episode_id": uuid4()})
    CommandAttempt.objects.create(fact=command, form=said[:80], started=True, **shown)
    ArgumentUse.objects.create(fact=argument, outcome="success", calls=[{"places": [[said]]}], **shown)


def make_guided(word: str, run: Memory, skill: Memory, low: Memory) -> None:
    """What guidance is told by, and what it told."""
    PendingProfile.objects.create(episode_id=run.pk, scope=word, error=word)
    StatementMessage.objects.create(event=Event.objects.filter(episode=run.pk)[0], scope=word, error=word)
    RunProfile.objects.create(
        episode_id=run.pk, scope=word, sensitivity=run.sensitivity, thread=word, outcome="success", at=AT,
        effects=[word], opening=word, identifiers=[1], packed=b"1", packed_opening=b"1", vector=[0.5] * 8,
    )  # fmt: skip
    curve: dict[str, Any] = {"coefficients": [0, 0, 0], "nearness": 0, "answers": 1, "runs": 1, "at": AT}
    GuidanceCurve.objects.create(scope=word, sensitivity=run.sensitivity, **curve)
    for memory, said in ((skill, word), (low, "late")):
        counts = ("routed", "followed_well", "followed_ill", "otherwise_well", "otherwise_ill", "gained", "lost")
        SkillWorth.objects.create(memory=memory, runs=1, diverging=said, at=AT, **dict.fromkeys(counts, 1))
        SkillLines.objects.create(memory=memory, lines={"procedure": [{"text": said}]}, at=AT)
        SkillOffer.objects.create(
            memory=memory, version=1, scope=said, episode_id=run.pk, thread_id=word, agent=said, withheld=False, at=AT
        )
