from consolidation.models.arguments import ArgumentFact, ArgumentUse
from consolidation.models.commands import CommandAttempt, CommandFact
from consolidation.models.groups import PluginRun, Reading, RuleGroup, RuleSighting, Unread
from consolidation.models.profiles import GuidanceCurve, RunProfile, Unmeasured, Unprofiled
from consolidation.models.runs import Pattern, Run, Sighting, case_of
from consolidation.models.worth import SkillLines, SkillOffer, SkillWorth

__all__ = [
    "ArgumentFact",
    "ArgumentUse",
    "CommandAttempt",
    "CommandFact",
    "GuidanceCurve",
    "Pattern",
    "PluginRun",
    "Reading",
    "RuleGroup",
    "RuleSighting",
    "Run",
    "RunProfile",
    "Sighting",
    "SkillLines",
    "SkillOffer",
    "SkillWorth",
    "Unmeasured",
    "Unprofiled",
    "Unread",
    "case_of",
]
