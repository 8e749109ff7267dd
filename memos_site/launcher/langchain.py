"""A retriever of LangChain over what Memos knows and what happened. Needs `memos[langgraph]`."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from .answers import SearchResult
from .client import Memos

METADATA_FIELDS = ("type", "scope", "key", "status", "source", "confidence")


class MemosRetriever(BaseRetriever):
    """`client`: a Memos; else one of MEMOS_URL and MEMOS_TOKEN. Whole memories, the best first; of an episode what was
    said that answers. `invoke` takes options of the search for one question: `limit=1`."""

    client: Any = None
    limit: int = 5
    scopes: list[str] = []
    include_candidates: bool = False

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        defaults = {"limit": self.limit, "include_candidates": self.include_candidates, "scopes": self.scopes}
        results = (self.client or Memos()).search(query, **{**defaults, **options})["results"]
        return [_document(result) for result in results]


def _document(result: SearchResult) -> Document:
    memory = result["memory"]
    text = "\n".join(passage["text"] for passage in result["passages"]) or memory["content"]
    metadata = {name: value for name, value in memory.items() if name in METADATA_FIELDS}
    return Document(page_content=text, id=memory["id"], metadata={**metadata, "relevance": result["relevance"]})
