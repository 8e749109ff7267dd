"""Stored values that pages show as words, named here so that they are translated."""

from collections.abc import Iterable

from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_noop as _

STATUSES = [
    *(_("candidate"), _("confirmed"), _("applied"), _("contested"), _("dismissed"), _("superseded"), _("retracted")),
    *(_("proposed"), _("published"), _("retired"), _("rejected"), _("replaced"), _("accepted"), _("withdrawn")),
    *(_("queued"), _("running"), _("succeeded"), _("skipped"), _("failed"), _("paused"), _("pending"), _("waiting")),
    *(_("delivered"), _("open"), _("snoozed"), _("demoted"), _("forgotten"), _("expired"), _("user revert")),
    *(_("success"), _("failure"), _("partial"), _("unknown"), _("degraded"), _("active"), _("deactivated")),
]
KINDS_OF_MEMORIES = [
    *(_("episode"), _("claim"), _("working state"), _("skill"), _("plan")),
    *(_("fact"), _("preference"), _("pattern"), _("contact"), _("workflow")),
    *(_("observed"), _("stored"), _("taught"), _("detected"), _("consolidated"), _("extracted"), _("imported")),
    *(_("public"), _("low"), _("medium"), _("high"), _("hyper"), _("critical"), _("info")),
]
REASONS = [_("wrong"), _("stale"), _("duplicate"), _("sensitive"), _("noise"), _("other")]
REVIEWS = [_("person"), _("several agents"), _("one agent alone")]
SINCE_A_DISMISSAL = [_("said again"), _("not since")]
FLAGS = [_("secret"), _("secret removed"), _("instruction-like"), _("hidden characters")]
ACTIONS = [  # verbs of review have theirs in their records
    *(_("create"), _("contest"), _("reinforce"), _("revise"), _("merge"), _("retract"), _("accept"), _("withdraw")),
    *(_("decay"), _("expire"), _("prune"), _("delete"), _("erase"), _("outcome"), _("undo"), _("redo"), _("unpin")),
    *(_("publish"), _("lift"), _("revert"), _("supersede"), _("fork"), _("propose"), _("replace"), _("rename")),
    *(_("start"), _("retry"), _("pause"), _("resume"), _("revoke"), _("rotate"), _("stop"), _("replay"), _("penalize")),
    *(_("reopen"), _("apply"), _("confirm"), _("suppress"), _("wake"), _("upload"), _("forget")),
    *(_("reveal"), _("remove transcripts")),
]
KINDS_OF_EVIDENCE = [_("created"), _("reinforced"), _("supports"), _("contradicts"), _("suppressed")]
SPEAKERS = [
    *(_("user"), _("assistant"), _("system"), _("developer"), _("tool"), _("tool output"), _("error"), _("event")),
    *(_("plugin run"), _("message"), _("observation")),
]
PEOPLE = [_("viewer"), _("reviewer"), _("administrator"), _("reset"), _("password")]
PERMISSIONS = [_("read"), _("ingest"), _("report"), _("skills"), _("review")]
RUNS = [
    *(_("consolidate"), _("patterns"), _("duplicates"), _("reembed"), _("import"), _("extract"), _("contrast")),
    *(_("lessons"), _("bulk"), _("deciding"), _("undoing"), _("done"), _("refused")),
    *(_("schedule"), _("command"), _("api"), _("page")),
    *(_("episodes"), _("guidance"), _("facts"), _("plans"), _("statements"), _("events"), _("comparing")),
    *(_("importing"), _("judging"), _("cases"), _("memories"), _("titles"), _("queue"), _("vectors"), _("in hand")),
]
COUNTERS = [
    *(_("episodes read"), _("events read"), _("cases read"), _("set aside"), _("memories compared")),
    *(_("merges proposed"), _("conflicts proposed"), _("versions proposed"), _("lines proposed"), _("lines kept")),
    *(_("lines written"), _("lost"), _("surplus"), _("unmeasured"), _("facts created"), _("facts seen again")),
    *(_("patterns created"), _("plans created"), _("plans seen again"), _("skills learned")),
    *(_("skills seen again"), _("skills created"), _("skills known"), _("runs made comparable")),
    *(
        _("subject not named"),
        _("object not said"),
        _("said by another"),
        _("predicate not said"),
        _("denied in quote"),
        _("turned round"),
        _("passing"),
        _("not proven"),
        _("outdated"),
    ),
    *(_("name not said"), _("number not said"), _("code not said"), _("path not said"), _("lessons created")),
    *(_("policies read"), _("policies created"), _("broken by successes"), _("unknown field"), _("unknown value")),
    *(_("not needed"), _("outcomes judged"), _("outcomes unproven"), _("outcomes unknown")),
    *(_("denied when asked"), _("not told apart"), _("instruction like")),
    _("copied from instructions"),
    *(_("unread parts"), _("tasks"), _("known"), _("changed"), _("left out"), _("rows")),
    _("former vectors removed"),
]
FIELDS = [_("content"), _("category"), _("sensitivity"), _("tags"), _("expires at")]
FIELDS += [_("company"), _("source"), _("words"), _("meaning")]  # by these a context finds
FIELDS += [
    *(_("Description"), _("Trigger"), _("Procedure"), _("Failure Modes"), _("Experience"), _("User Preferences")),
    *(_("Examples"), _("Scripts"), _("Tool Usage"), _("Track Record"), _("Additional Information")),
]
RULES_OF_THE_SCAN = [
    *(_("zero-width"), _("text-direction"), _("smuggled-text"), _("secrets-and-upload"), _("network-upload")),
    *(_("instruction-secrecy"), _("instruction-role"), _("instruction-override"), _("instruction-leak")),
    *(_("instruction-harm"), _("instruction-deletion"), _("instruction-sending"), _("instruction-download")),
    *(_("instruction-tests"), _("instruction-approval"), _("instruction-authority")),
    _("instruction-access"),
    *(_("html-comment"), _("download-and-run")),
]
PLAIN = {  # stored words that the pages say otherwise, each as a word above
    "episodic": "episode",
    "semantic": "claim",
    "working": "working state",
    "competence": "skill",
    "plan_graph": "plan",
    "agents": "several agents",
    "one_agent": "one agent alone",
    "competences_created": "skills learned",
    "competences_reinforced": "skills seen again",
    "facts_reinforced": "facts seen again",
    "plans_reinforced": "plans seen again",
    "profiles_written": "runs made comparable",
    "clearing": "former vectors removed",
}


def in_words(value: object) -> str:
    """A stored value as a word of the reader's language: `plan_graph` -> plan graph; '' for None."""
    text = str(value if value is not None else "")
    text = PLAIN.get(text, text)
    return gettext(text.replace("_", " ") if text.replace("_", "").isalpha() else text) if text else ""


def as_list(texts: Iterable[str]) -> str:
    """Texts one after the other, as a sentence of the reader's language lists them."""
    return pgettext("between the texts of a list", ", ").join(texts)
