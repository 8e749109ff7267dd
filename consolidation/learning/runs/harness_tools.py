"""Tools of coding agents that do the same under several names, as one: learned, compared and checked by one name.

A tool counts as one of a harness by its name and, where other programs may have a tool of that name, by its arguments.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memories.lexicon.tool_words import without_server

RUN, EDIT, WRITE, READ, FIND, ASK, FETCH, PLAN = "bash", "edit", "write", "read", "find", "ask", "fetch", "plan"
PATHS = frozenset({"file_path", "filePath", "path", "target_file", "absolute_path", "notebook_path", "paths"})
# What each harness calls them, by the `source` of its hook; the first name of a kind is the one that it is told.
_NAMES = """
claude-code bash=Bash edit=Edit,MultiEdit,NotebookEdit write=Write read=Read find=Grep,Glob,LS ask=AskUserQuestion
            fetch=WebFetch,WebSearch plan=TodoWrite,TaskCreate,TaskUpdate
codex       bash=Bash,shell,exec_command,local_shell edit=apply_patch read=view_image ask=request_user_input
            fetch=web_search plan=update_plan
gemini-cli  bash=run_shell_command edit=replace write=write_file read=read_file,read_many_files
            find=grep_search,search_file_content,glob,list_directory ask=ask_user fetch=web_fetch,google_web_search
            plan=write_todos,enter_plan_mode
qwen-code   bash=run_shell_command edit=edit write=write_file read=read_file find=grep_search,glob,list_directory
            ask=ask_user_question fetch=web_fetch plan=todo_write
opencode    bash=bash edit=edit write=write read=read find=grep,glob,list ask=question fetch=webfetch,websearch
            plan=todowrite
copilot     bash=bash edit=edit,str_replace_editor write=create read=view find=grep,glob ask=ask_user fetch=web_fetch
            plan=update_todo,report_intent
cursor      bash=Shell,run_terminal_cmd edit=Edit,search_replace,edit_file write=Write read=Read,read_file
            find=Grep,Glob,codebase_search,grep_search fetch=web_search plan=todo_write
"""
HARNESSES: Mapping[str, Mapping[str, Sequence[str]]] = {
    source: {kind: names.split(",") for kind, names in (pair.split("=") for pair in pairs)}
    for source, *pairs in (row.split() for row in re.split(r"\n(?=\S)", _NAMES.strip()))
}
FILE_CHANGES = frozenset({EDIT, WRITE})
ONLY_READING = frozenset({READ, FIND, ASK, FETCH, PLAN})  # of what lies outside of the agent
_KIND_OF = {name: kind for tools in HARNESSES.values() for kind, names in tools.items() for name in names}
_KIND_OF |= {"str_replace_based_edit_tool": EDIT}
_OF_FILES = frozenset({EDIT, WRITE, READ})
_UNIQUE_NAMES = frozenset({"apply_patch", "view_image", "read_many_files"})  # no other program has a tool of this name
_COMMON_NAMES = frozenset({"question", "list", "edit", "write", "read", "find", "ask", "fetch", "plan"})
# Tools that run Python code, in which a command line would be a here-document; and their arguments that hold it.
_CODE_TOOLS = frozenset({
    "append_execute_code_cell", "code_execution", "code_interpreter", "execute_code", "execute_ipython",
    "execute_ipython_cell", "execute_python", "insert_execute_code_cell", "python", "python_interpreter", "run_python",
    "run_python_code",
})  # fmt: skip
CODES = ("code", "cell_source")
_EDITOR_COMMANDS = {"view": READ, "create": WRITE}  # of an editor that is one tool


def canonical(tool: str, arguments: Mapping[str, Any]) -> str:
    """The canonical name of a coding agent's tool; the tool's own name where it is none of theirs."""
    kind = _KIND_OF.get(tool)
    if kind is None:
        return RUN if code_of(tool, arguments) else tool
    if kind in _OF_FILES and tool not in _UNIQUE_NAMES:
        if not arguments.keys() & PATHS:
            return tool
        return _EDITOR_COMMANDS.get(str(arguments.get("command")), kind)
    return tool if tool in _COMMON_NAMES else kind


def code_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """The Python code that a tool for code runs; '' for any other call."""
    if without_server(tool) not in _CODE_TOOLS:
        return ""
    is_python = str(arguments.get("language") or "python").lower() in {"python", "python3", "py"}
    return next(
        (code for key in CODES if isinstance(code := arguments.get(key), str) and code.strip() and is_python), ""
    )


def effect_name(tool: str) -> str:
    """The one name of all canonical tools that change files; any other tool's own."""
    return EDIT if tool in FILE_CHANGES else tool


def recorded_names(tool: str) -> list[str]:
    """The names under which calls of a tool, as `canonical` names it, are recorded."""
    return [tool, *(name for name, kind in _KIND_OF.items() if kind == tool)]


def names_of(source: str, tools: tuple[str, ...] = ()) -> dict[str, str]:
    """Canonical name -> the caller's name: of its harness (`source`), else of the tools that it called."""
    harness_names = {kind: names[0] for kind, names in HARNESSES.get(source, {}).items()}
    kinds = {name: RUN if without_server(name) in _CODE_TOOLS else _KIND_OF.get(name) for name in reversed(tools)}
    names = harness_names | {
        kind: name for name, kind in kinds.items() if kind is not None and kind not in harness_names
    }
    return {EDIT: names[WRITE]} | names if WRITE in names else names  # as an effect both are EDIT
