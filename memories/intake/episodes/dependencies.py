"""Resolve what an event depends on: nodes of its episode, and by them the open episode that it belongs to."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from memories.models import Episode
from memories.models.episode import node_id
from memories.values.trust import Trust

NODE = re.compile(r"(?:n|([0-9a-f]{8})-)([1-9][0-9]{0,8})")  # `n<position>` names a node within its own episode only


@dataclass(frozen=True)
class NodeReference:
    """A node that an event names. `prefix`: the first 8 hex digits of its episode; `scope` None: not stated."""

    prefix: str
    position: int
    scope: str | None


@dataclass(frozen=True)
class Followed:
    """The episode that a dependency leads to. `ambiguous`: others of this agent have a node of that name as well."""

    episode_id: UUID
    ambiguous: bool


def resolve(depends_on: Sequence[str], episode_id: UUID, position: int) -> tuple[list[str], bool]:
    """The dependencies by the names that the server gives, and whether all are known; what is no earlier node of this
    episode is kept as it is."""
    nodes = [_earlier(name, episode_id, position) for name in depends_on]
    return [node or name for node, name in zip(nodes, depends_on, strict=True)], None not in nodes


def _earlier(name: str, episode_id: UUID, position: int) -> str | None:
    match = NODE.fullmatch(name)
    if not match or match[1] not in (None, episode_id.hex[:8]) or int(match[2]) >= position:
        return None
    return node_id(episode_id, int(match[2]))


def first_named_node(depends_on: Iterable[str], scope: str | None) -> NodeReference | None:
    """The first of these nodes that names its episode."""
    for name in depends_on:
        if (match := NODE.fullmatch(name)) and match[1]:
            return NodeReference(match[1], int(match[2]), scope)
    return None


def follow(nodes: Iterable[NodeReference], trust: Trust) -> dict[NodeReference, Followed]:
    """The open episodes of this agent that have these nodes. Ids of one minute begin alike: of several it is the one
    that was opened last. One statement for each beginning and scope, however many nodes of it are named.
    """
    by_place: dict[tuple[str, str | None], set[NodeReference]] = defaultdict(set)
    for node in nodes:
        by_place[node.prefix, node.scope].add(node)
    followed = {}
    for (prefix, scope), named in by_place.items():
        rows = Episode.objects.visible_to(trust).opened_as(prefix).filter(memory__created_by_id=trust.actor.identity)
        rows = rows if scope is None else rows.filter(scope=scope)
        counts = list(rows.order_by("-pk").values_list("pk", "event_count"))
        for node in named:
            if ids := [pk for pk, events in counts if events >= node.position]:
                followed[node] = Followed(ids[0], ambiguous=len(ids) > 1)
    return followed
