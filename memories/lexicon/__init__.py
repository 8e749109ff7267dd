"""Lists of words, by language: data without code, each with what it is for. Whoever reads texts imports from here.

`english_words`: grammar, negations, opposites and series, for claims; stop words, also of the likeness of runs; words
of requests; habits; relations that go unsaid; frequent words, for patterns and ciphers.
`english_verbs`: imperatives, verbs of tool names and of work. `chinese_words`: the same in Chinese, and words
of tools' messages. `tool_words`: verbs of tool names that tell whether a tool reads, changes or hands over, in seven
languages, and words of errors, in six. Whoever adds a language of tools adds it to both, and its titles and fields of
persons to `consolidation/learning/runs/privacy.py`.

Of a list that claims are read with stored fingerprints and tombstones depend: a change of one raises `NORMALISATION`.
On `STOP_OF_LIKENESS` the stored features of runs depend, and the thresholds that were measured with them.
"""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
