"""How alike two requests are to guidance."""

import pytest

from consolidation.guidance import features
from consolidation.guidance.kernel import Kernel
from consolidation.guidance.request import check


def likeness(asked: str, known: list[str], tools: set[str]) -> list[float]:
    told = [features.of(check({"task": text}).run) for text in (asked, *known)]
    return [float(one) for one in Kernel(told[1:], tools).against(told[:1]).overall[0]]


@pytest.mark.parametrize(
    ("asked", "known", "tools"),
    [
        (
            "Hello, could I exchange these green boots, size 9, I bought them in May?",
            ["The lamp flickers. Exchanging it would be best.", "Hello, cancel these green boots, size 9, from May."],
            {"exchange_items", "cancelPendingOrder"},
        ),
        (
            "你好，我五月份买的绿色靴子九码，想要退货可以吗？",
            ["这盏台灯一直闪烁，我想退货。", "你好，请取消我五月份买的绿色靴子九码。"],
            {"退货", "取消订单"},
        ),
    ],
)
def test_words_that_name_tools_count_more(asked: str, known: list[str], tools: set[str]) -> None:
    wish, things = likeness(asked, known, tools)
    wish_before, things_before = likeness(asked, known, set())
    assert wish / things > 1.5 * wish_before / things_before


@pytest.mark.parametrize("mark", ["-", ".", "#"])
def test_a_line_of_marks_is_read_once(mark: str) -> None:
    rule = mark * 1_000_000  # begun at each of them it would take an hour
    assert list(features._words(f"refund {rule} order-12{rule}\n{rule}")) == ["refund", "order-12"]
