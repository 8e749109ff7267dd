"""Late interaction: the best passages are reranked by their word pieces. No statement, no call to an endpoint.

Each word piece of the question is compared with all pieces of a passage, and how alike the nearest one is counts: a
passage that says "physician" fits "doctor", whatever else it says, which one vector of a whole text hides. The pieces
are the built-in embedder's, whichever model the vectors of passages are from.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from memories import embedding
from memories.embedding import Array
from memories.embedding.static import Numbers, Static
from memories.search import emphasis, ranking
from memories.search.candidates import Pool
from memories.search.ranking import Candidate, Scores, Weights
from memories.values import passage_texts, search_words, text

MOST_RERANKED = 20  # passages; with 30 or 60 no more is found
LEAST_ALIKE = 0.4  # centred similarity; pieces below it have nothing to do with each other
MOST_PIECES = 64  # of a question
LEAST_WEIGHT = 1e-6  # of a question, which is divided by it


def by_passage(pool: Pool, question: str, weights: Weights) -> Scores:
    """Score every passage of the pool, best first."""
    scores = ranking.by_passage(pool.candidates, pool.words, question, weights, embedded_share=pool.embedded_share)
    return rerank(scores, question, weights) if weights.pieces and scores else scores


def rerank(scores: Scores, question: str, weights: Weights) -> Scores:
    """Return the same passages, best first; `pieces` is added to the score of the MOST_RERANKED best ones."""
    reach = weights.neighbours[:1]
    shares = _answered_shares(scores.beside(MOST_RERANKED, len(reach)), question, reach)
    best = scores[:MOST_RERANKED]
    return scores.with_pieces(
        [weights.pieces * quote.score_share * shares.get(quote.candidate.passage, 0.0) for quote in best]
    )


def _answered_shares(rows: Sequence[Candidate], question: str, reach: Sequence[float]) -> dict[int, float]:
    """The share of the question's pieces that each passage answers, 0 to 1, by passage id; neighbours count by `reach`.

    Chinese and Japanese text has no useful pieces and is compared by bigrams elsewhere: the result is scaled by the
    share of the question that is written with spaces.
    """
    model, question_text = embedding.built_in(), emphasis.embedding_text(question)
    spaced_text = text.UNSPACED.sub(" ", question_text)
    distinct = np.array(list(dict.fromkeys(model.pieces(spaced_text)))[:MOST_PIECES], dtype=np.int64)
    if not len(distinct):
        return {}
    pieces = [model.pieces(passage_texts.with_speaker(row.actor, row.text)) for row in rows]
    near, weights = _nearest(distinct, pieces, model), model.piece_weights(distinct)
    group = {memory: number for number, memory in enumerate(dict.fromkeys(row.memory for row in rows))}
    places = np.array([[group[row.memory] for row in rows], [row.position for row in rows]])
    share = search_words.spaced_share(question_text)
    shares = ranking.spread(near, places, reach) @ weights * (share / max(weights.sum(), LEAST_WEIGHT))
    return dict(zip((row.passage for row in rows), shares.tolist(), strict=True))


def _nearest(question_pieces: Numbers, passage_pieces: Sequence[Sequence[int]], model: Static) -> Array:
    """Similarity of each piece of the question to the nearest piece of each passage, 0 to 1: passages x pieces."""
    nearest = np.zeros((len(passage_pieces), len(question_pieces)), dtype=np.float32)
    sizes = np.array([len(words) for words in passage_pieces])
    if not sizes.any():
        return nearest
    pieces, place = np.unique(np.fromiter(chain.from_iterable(passage_pieces), np.int64), return_inverse=True)
    similarities = np.maximum(model.piece_similarities(question_pieces, pieces) - LEAST_ALIKE, 0) / (1 - LEAST_ALIKE)
    holds = sizes > 0
    nearest[holds] = np.maximum.reduceat(similarities[place], (np.cumsum(sizes) - sizes)[holds])
    return nearest
