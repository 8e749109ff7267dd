"""Files and tools of a skill that the model writes after its fields: programs, the use of tools, documents."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from pydantic import BaseModel

from consolidation.extraction.skill_answers import MOST_FILES, Brief, Document, DraftSkill, Scripts, Tools
from consolidation.extraction.steps import Work
from consolidation.llm import ModelError, NotNow, TooSensitive, fenced, in_halves, part_tokens
from consolidation.llm.tokens import cut
from consolidation.prompts import prompt
from skills.manifest import Fields
from skills.names import file_name

T = TypeVar("T", bound=BaseModel)
V = TypeVar("V")
WHAT = {"en": "the skill and the task", "zh": "技能和任务"}
HEADINGS = {
    "en": {"skill": "The skill", "task": "The task", "todo": "To write", "tools": "Tools that were called"},
    "zh": {"skill": "技能", "task": "任务", "todo": "要写的内容", "tools": "调用过的工具"},
}


@dataclass(frozen=True)
class Detailed:
    """A skill with its files and tools, and what was left out of it, with the reason."""

    fields: Fields
    left_out: tuple[str, ...] = ()

    @property
    def written(self) -> list[str]:
        """The paths of the files that the model wrote."""
        scripts = [f"scripts/{name}" for name in self.fields.scripts or {}]
        return [*scripts, *(f"reference/{name}" for name in self.fields.others or {})]


def write_details(draft: DraftSkill, *, task: str, tools: Sequence[str], work: Work, name: str) -> Detailed:
    """Let the model write the files and tools of a skill, full mode.

    A file that cannot be written is left out: the skill is of use without it. `tools`: those that were called in the
    task; `name`: the prefix of the answers' names. NotNow: the model cannot be asked.
    """
    details = _Details(draft, task, work, name)
    briefs = details.briefs_by_name(draft.others, "reference")
    writers: list[_Details] = [replace(details, left_out=[]) for _ in range(2 + len(briefs))]
    jobs: list[Callable[[], Any]] = [writers[0].scripts, partial(writers[1].tools, tools)]
    jobs += [partial(writer.document, *brief) for writer, brief in zip(writers[2:], briefs.items(), strict=True)]
    scripts, uses, *documents = work.together(jobs)
    others = {file: text for file, text in zip(briefs, documents, strict=True) if text}
    update = {"scripts": scripts or None, "tool": uses or None, "others": others or None}
    fields = Fields.model_validate({**draft.fields.model_dump(), **update})
    return Detailed(fields, tuple(chain(details.left_out, *(detail.left_out for detail in writers))))


@dataclass
class _Details:
    """`left_out`: of what one of these wrote, in its order: they write side by side."""

    draft: DraftSkill
    task: str
    work: Work
    name: str
    left_out: list[str] = field(default_factory=list)

    def scripts(self) -> dict[str, str]:
        """The programs that the model returned, under safe names."""
        briefs = self.briefs_by_name(self.draft.scripts, "scripts")
        if not briefs:
            return {}
        todo = "\n".join(f"- {name}: {brief.brief}" for name, brief in briefs.items())
        answer = self._ask(Scripts, "script_generation", f"{self.name} scripts", todo=todo)
        return {} if answer is None else self._safely([*answer.scripts.items()], "scripts")

    def tools(self, tool_names: Sequence[str]) -> list[str]:
        """Lines "`name`: what for" of the tools that the draft needs and that were called; asked for where it does not
        say what one is for."""
        tools = [tool for tool in self.draft.tool if tool.name in tool_names]
        if tools and not all(tool.use for tool in tools):
            tool_list = "\n".join(f"- {tool}" for tool in tool_names)
            answer = self._ask(Tools, "tool_generation", f"{self.name} tools", tools=tool_list)
            tools = [tool for tool in answer.tools if tool.name in tool_names] if answer else tools
        uses = {tool.name: tool.use for tool in tools}
        return [f"`{tool}`: {use}" if use else f"`{tool}`" for tool, use in uses.items()]

    def document(self, name: str, brief: Brief) -> str:
        answer = self._ask(Document, "others_generation", f"{self.name} {name}", todo=f"{name}: {brief.brief}")
        if answer is not None and answer.content:
            return answer.content
        self.left_out.append(f"{name}: nothing was written for it")
        return ""

    def briefs_by_name(self, briefs: Sequence[Brief], folder: str) -> dict[str, Brief]:
        """The first MOST_FILES briefs by safe file names."""
        return self._safely([(brief.file, brief) for brief in briefs], folder)

    def _safely(self, files: Sequence[tuple[str, V]], folder: str) -> dict[str, V]:
        """The first MOST_FILES by safe names; of those that some file system takes for one, the first."""
        by_name: dict[str, V] = {}
        if surplus := files[MOST_FILES:]:
            self.left_out.append(f"{folder}: {len(surplus)} files more than {MOST_FILES}")
        for file, content in files[:MOST_FILES]:
            name = self._safe(file, folder)
            if name.lower() in {used_name.lower() for used_name in by_name}:
                self.left_out.append(f"{name}: another file has this name")
            elif name:
                by_name[name] = content
        return by_name

    def _safe(self, name: str, folder: str) -> str:
        """A safe file name; '' for one that is refused."""
        try:
            return file_name(name, folder=folder, default=".md" if folder == "reference" else "")
        except ValueError as refusal:
            self.left_out.append(str(refusal))
            return ""

    def _ask(self, shape: type[T], stage: str, name: str, **parts: str) -> T | None:
        """The answer of one stage; None where the model gave none that can be used."""
        language = self.work.transcript.language

        def ask(most: int) -> T:
            contents = {"skill": _shown(self.draft), "task": cut(self.task, most), **parts}
            text = "\n\n".join(f"## {HEADINGS[language][part]}\n\n{content}" for part, content in contents.items())
            fence = fenced(text, what=WHAT[language], language=language)
            return self.work.ask(shape, name=name, system=prompt(stage, language), text=fence, purpose=stage)

        try:
            return in_halves(ask, part_tokens(prompt(stage, language)))
        except (NotNow, TooSensitive):
            raise
        except ModelError as fault:
            self.left_out.append(f"{name}: {fault}")
            return None


def _shown(draft: DraftSkill) -> str:
    field_values = draft.fields.model_dump(
        include={"name", "description", "trigger", "procedure", "experience", "preference"}
    )
    return json.dumps(field_values, ensure_ascii=False, indent=1)
