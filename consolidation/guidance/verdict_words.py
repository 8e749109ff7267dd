"""A verdict in at most two sentences with counts, in the language of its run."""

from collections.abc import Iterator

from consolidation.guidance.judging import Judged
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.phrases import Language, is_chinese

MOST = 2
_WORDS: dict[str, tuple[str, str]] = {
    "missing": (
        "{cases} of {of} similar cases that ended well called {tool}; this run did not.",
        "{of} 个顺利结束的相似案例中有 {cases} 个调用了 {tool}，本次没有调用。",
    ),
    "unexpected": (
        "{cases} of {of} similar cases that ended well called {tool}; this run did.",
        "{of} 个顺利结束的相似案例中有 {cases} 个调用了 {tool}，本次调用了。",
    ),
    "ill": (
        "Of {of} similar cases that changed the same, {cases} failed.",
        "做了同样更改的 {of} 个相似案例中有 {cases} 个失败。",
    ),
    "well": (
        "Of {of} similar cases that changed the same, {cases} ended well.",
        "做了同样更改的 {of} 个相似案例中有 {cases} 个顺利结束。",
    ),
    "few": (
        "Too few finished runs that you may see are like this one to tell how it ends.",
        "你能看到的已结束记录中，与本次相似的太少，无法判断结果。",
    ),
    "no_calls": (
        "This run called no tool: there is nothing to compare.",
        "本次没有调用任何工具，无从比较。",
    ),
    "no_request": (
        "No user spoke in this run: what it was for is not known.",
        "本次运行中没有用户发言，无从得知要做什么。",
    ),
    "no_run": (
        "You have reported no run with this name that you may see.",
        "没有找到你报告过且有权查看的这次运行。",
    ),
}


def language_of(run: Run) -> Language:
    return "zh" if is_chinese("\n".join(message.text for message in run.said)) else "en"


def sentence(name: str, language: Language = "en", **values: object) -> str:
    return _WORDS[name][language == "zh"].format(**values)


def sentences(told: Judged, language: Language) -> list[str]:
    """What speaks for the verdict, the strongest first."""
    if told.level == "unknown":
        return [sentence("few", language)]
    return list(_sentences(told, language))[:MOST]


def _sentences(told: Judged, language: Language) -> Iterator[str]:
    if told.level != "low":
        for name, counted in (("missing", told.missing), ("unexpected", told.unexpected)):
            for count in counted[:1]:
                yield sentence(name, language, cases=count.cases, of=count.of, tool=code(count.tool))
    if told.alike:
        ill = told.level != "low"
        cases = told.alike_ill if ill else told.alike - told.alike_ill
        yield sentence("ill" if ill else "well", language, cases=cases, of=told.alike)
