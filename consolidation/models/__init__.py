from consolidation.models.arguments import ArgumentFact, ArgumentUse
from consolidation.models.audit_cursor import AuditCursor
from consolidation.models.bulk_orders import BulkOrder
from consolidation.models.commands import CommandAttempt, CommandFact
from consolidation.models.daily_counts import DailyCount
from consolidation.models.groups import EventBatch, PluginRun, RuleGroup, RuleRetry, RuleSighting
from consolidation.models.import_files import ImportFile
from consolidation.models.lessons import Lesson
from consolidation.models.llm_calls import LLMCall
from consolidation.models.packs import Pack
from consolidation.models.patterns import Pattern, Sighting, case_of
from consolidation.models.plans import PlannedRun, PlanShape
from consolidation.models.policies import InstructionReading, Policy
from consolidation.models.profiles import GuidanceCurve, PendingMeasurement, PendingProfile, RunProfile
from consolidation.models.redundancies import Redundancy
from consolidation.models.run_steps import RunStep
from consolidation.models.runs import Run, RunStopped
from consolidation.models.statement_messages import StatementMessage
from consolidation.models.tool_decisions import ToolDecision, ToolUse
from consolidation.models.webhooks import Webhook, WebhookDelivery
from consolidation.models.worth import SkillLines, SkillOffer, SkillWorth
