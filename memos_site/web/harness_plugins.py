"""The zips by which a harness takes everything of Memos at once: hooks, the MCP server, and the skills of an agent.

They hold no token: it stands in ~/.memos/config.json or in MEMOS_TOKEN, as for the scripts alone. What is written into
them comes from the table that `memos connect` reads.
"""

import json
import runpy
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from consolidation.packs import making
from memories.models import Agent
from memories.people import permitted
from memories.values.choices import Permission
from memories.values.exceptions import Invalid, Lost
from memories.values.trust import Trust
from skills.models import Skill

Json = dict[str, Any]
SCRIPTS = settings.BASE_DIR / "static" / "agents"
FETCHED = ("memos_hook.py", "memos_mcp.py")


class PluginForm(NamedTuple):
    """`root`: how the harness writes the folder of a plugin."""

    harness: str
    root: str
    manifest: str


FORMS = {
    "claude": PluginForm("claude", "${CLAUDE_PLUGIN_ROOT}", ".claude-plugin/plugin.json"),
    "gemini": PluginForm("gemini", "${extensionPath}", "gemini-extension.json"),
}


@never_cache
@require_safe
def harness_plugin(request: HttpRequest, agent_id: UUID, name: str) -> HttpResponseBase:
    trust = permitted(request.user, Permission.REVIEW, "only reviewers may see the agents")
    agent = get_object_or_404(Agent.objects.visible_to(trust), pk=agent_id)
    if name not in FORMS:
        raise Http404(f"no plugin is made for {name!r}")
    try:
        content = making.zipped(_files(FORMS[name], agent, trust))
    except (Invalid, Lost) as refusal:
        messages.warning(request, str(refusal))
        return redirect("agent", agent.pk)
    return HttpResponse(content, content_type="application/zip", headers=making.headers(f"memos-{name}"))


def _files(form: PluginForm, agent: Agent, trust: Trust) -> dict[str, bytes]:
    server = {"command": "python3", "args": [f"{form.root}/memos_mcp.py"]}
    manifest: Json = {
        "name": "memos",
        "version": f"1.0.{int(timezone.now().timestamp())}",
        "description": "Memory and skills of the team, under human review",
    }
    servers = {"mcpServers": {"memos": server}}
    has_server_file = form.harness == "claude"  # whose manifest names no servers
    plugin_files = (
        {form.manifest: manifest, ".mcp.json": servers} if has_server_file else {form.manifest: {**manifest, **servers}}
    )
    plugin_files["hooks/hooks.json"] = _hooks(form)
    files = {path: f"{json.dumps(value, indent=2)}\n".encode() for path, value in plugin_files.items()}
    return files | {name: (SCRIPTS / name).read_bytes() for name in FETCHED} | _skills(agent, trust)


def _hooks(form: PluginForm) -> Json:
    table = _table()
    settings_of_harness: Json = {}
    command = f'python3 "{form.root}/memos_hook.py"'
    table["with_ours"](settings_of_harness, table["HARNESSES"][form.harness], command)
    return settings_of_harness


@cache
def _table() -> Json:
    """What `memos connect` knows of each harness: a script that people copy, and no module of this program."""
    return runpy.run_path(str(SCRIPTS / "memos_harnesses.py"))


def _skills(agent: Agent, trust: Trust) -> dict[str, bytes]:
    """The packages of what the agent may download and the person sees; of one name in several scopes the first."""
    rows = Skill.objects.visible_to(agent.trust).visible_to(trust).downloadable().with_published().distinct()
    versions = {skill.name: version for skill in rows.order_by("-name", "-scope") if (version := skill.published)}
    return {
        f"{making.SKILLS}{path}": content
        for version in versions.values()
        for path, content in making.files_of(version).items()
    }
