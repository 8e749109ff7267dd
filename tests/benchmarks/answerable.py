"""How often a question that has an answer gets one, and how often one that has none does, in Chinese.

    .venv/bin/python -m tests.benchmarks.answerable chinese-passages.json

`passages`: 848 long texts and 300 questions, each answered by one, of the file (`docs`, `questions`); what has no
answer is asked without the passage that has it. `claims`: the 40 short ones of `chinese_claims.tsv`, each with two
questions that it answers and one about its subject that it does not answer; passages know nothing of these.
`unrelated`: of what neither knows. One JSON line a figure: the share that is answered, of every second question and of
the others.
"""

import argparse
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.long_questions import fill
from tests.benchmarks.store import empty_store, show

CLAIMS = [line.split("\t") for line in Path(__file__).with_name("chinese_claims.tsv").read_text().splitlines()]
UNRELATED = (
    *("如何做红烧肉？", "蒙古的首都是哪里？", "量子力学的基本原理是什么", "请写一首关于大海的诗", "怎样训练马拉松"),
    *("太阳系有几颗行星？", "推荐几部科幻电影", "钢琴怎么调音", "小猫不吃饭是什么原因？", "唐朝是哪一年建立的？"),
    *("股票市盈率怎么计算", "怎么治疗感冒", "长城有多长？", "足球越位规则是什么", "给我讲个笑话", "如何学好微积分"),
    *("咖啡豆怎么保存？", "恐龙是怎么灭绝的？", "帮我翻译这首法语歌词", "玫瑰花什么季节开？", "月球上有水吗"),
    *("如何系领带？", "世界上最高的山是哪座", "怎样种番茄", "黑洞是怎么形成的？", "吉他初学者应该练什么"),
    *("莎士比亚写过哪些剧本？", "汽车轮胎多久换一次", "珊瑚为什么会白化？", "国际象棋的王车易位怎么走"),
)


def is_answered(text: str, scope: str, without: str = "") -> bool:
    """Whether the question gets an answer; `without`: the memory that is left out."""
    from memories import search
    from memories.search import filters
    from memories.search.candidates import pool
    from memories.search.late_interaction import by_passage
    from memories.search.plan import SearchPlan
    from memories.search.question import embed_question, read_question
    from memories.search.ranking import Weights
    from memories.search.ranking_memories import is_answered
    from memories.values.trust import everything

    at = datetime.now(UTC)
    asked = search.check({"query": text, "scopes": [scope]})
    wanted = filters.of_search(asked, asked.narrows(everything()), at)
    model, vector, _ = embed_question(text)
    found = pool(SearchPlan(read_question(text, model, vector, wanted), wanted, at))
    found = replace(found, candidates=[one for one in found.candidates if one.memory != without])
    return is_answered(by_passage(found, text, Weights()), found)


def first(text: str, scope: str) -> str:
    """The id of the best answer; blank where there is none."""
    from memories import search
    from memories.values.trust import everything

    asked = search.check({"query": text, "scopes": [scope]})
    return next(
        (str(one.memory.pk) for one in search.find(asked, trust=everything(), at=datetime.now(UTC)).results), ""
    )


def tell(name: str, answered: Iterable[bool]) -> None:
    told = list(answered)
    for half, part in enumerate((told[::2], told[1::2])):
        show(f"{name}, half {half + 1}", sum(part) / len(part), "share", n=len(part))


def report(passages: dict[str, Any], ids: dict[str, str]) -> None:
    memory = {id: pk for pk, id in ids.items()}
    asked = [(one["question"], memory[one["evidence"][0]]) for one in passages["questions"]]
    show("passages: R@1", sum(first(text, "passages") == pk for text, pk in asked) / len(asked), "share", n=len(asked))
    tell("passages: answered", (is_answered(text, "passages") for text, _ in asked))
    tell("passages: the answer left out", (is_answered(text, "passages", pk) for text, pk in asked))
    tell("passages: asked what claims answer", (is_answered(one, "passages") for _, *of in CLAIMS for one in of))
    tell("claims: answered", (is_answered(one, "claims") for _, *answered, _ in CLAIMS for one in answered))
    tell("claims: another question about it", (is_answered(other, "claims") for *_, other in CLAIMS))
    for scope in ("passages", "claims"):
        tell(f"{scope}: unrelated", (is_answered(text, scope) for text in UNRELATED))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passages", type=Path)
    passages = json.loads(parser.parse_args().passages.read_text())
    with empty_store():
        texts = {one["id"]: one["text"] for one in passages["docs"]}
        ids = fill({"passages": texts, "claims": {f"claim {n}": text for n, (text, *_) in enumerate(CLAIMS)}})
        report(passages, ids)


if __name__ == "__main__":
    main()
