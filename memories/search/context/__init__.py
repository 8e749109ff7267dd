"""The block that is put into an agent's prompt: what is known that fits the task, in few lines, within two seconds."""

from memories.search.context.assembling import Context, Item, assemble
from memories.search.context.request import ContextRequest, check

__all__ = ["Context", "ContextRequest", "Item", "assemble", "check"]
