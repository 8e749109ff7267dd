"""Context assembly: the text block for an agent's prompt, of memories that fit the task, within two seconds."""

from memories.search.context.assembling import Context, Item, assemble, with_quotes
from memories.search.context.request import ContextRequest, check
from memories.search.context.selection import Rationed
