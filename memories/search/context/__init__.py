"""Context assembly: the text block for an agent's prompt, of memories that fit the task, within two seconds."""

from memories.search.context.assembling import Context, Item, assemble, with_quotes
from memories.search.context.selection import Ration
from memories.search.request import ContextRequest
from memories.search.request import check_context as check
