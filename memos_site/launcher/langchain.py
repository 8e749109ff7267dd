"""A retriever of LangChain over what Memos knows and what happened. Needs `memos[langgraph]`."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from .client import Memos


class MemosRetriever(BaseRetriever):
    """`client`: a Memos; else one of MEMOS_URL and MEMOS_TOKEN. Whole memories, the best first; of an episode what was
    said that answers."""

    client: Any = None
    limit: int = 5
    scopes: list[str] = []
    include_candidates: bool = False

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        asked = {"limit": self.limit, "include_candidates": self.include_candidates, "scopes": self.scopes}
        found = (self.client or Memos()).search(query, **asked)["results"]
        return [_document(result) for result in found]


def _document(result: dict[str, Any]) -> Document:
    memory = result["memory"]
    text = "\n".join(passage["text"] for passage in result["passages"]) or memory["content"]
    told = {name: memory[name] for name in ("type", "scope", "key", "status", "source", "confidence")}
    return Document(page_content=text, id=str(memory["id"]), metadata={**told, "relevance": result["relevance"]})
