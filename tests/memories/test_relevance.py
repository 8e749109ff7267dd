"""How much of a question what is found answers: absolute, so that an agent can put a threshold on it."""

from typing import Any

import pytest

from memories import embedding
from memories.models import EmbeddingModel, Passage, Vector
from memories.values.choices import Type
from tests import embedding_endpoint
from tests.memories.searched import find, known, said, talk

pytestmark = pytest.mark.django_db
INVOICES = (
    "Acme pays its invoices on net-30 terms",
    "Invoices above 1,000 euros need the approval of finance",
    "Never send invoices on Fridays",
    "The billing team archives paid invoices every month",
    "Globex wants its invoices by mail",
    "Write a reminder when an invoice is overdue",
)


def relevance(query: str, **asked: Any) -> float:
    """Of the best."""
    best = find(query, **asked).results[0].relevance
    assert best is not None
    return best


@pytest.mark.parametrize(
    "question",
    [
        "quantum chromodynamics lattice",
        "Write a haiku about the sea",
        "best hiking trails near Lake Tahoe",
        "量子色动力学",
        "What is the capital of Mongolia?",
        "蒙古的首都是哪里？",
        "How do I say when someone is known for something?",
    ],
)
def test_of_what_a_store_knows_nothing_nothing_is_found(question: str) -> None:
    for text in (*INVOICES, "客户的发票要在三十天内付款", "发票是财务部批准的"):
        known(text)
    talk("Anna: I sent the invoice to Acme on Monday", "Ben: Then they will pay by the end of the month")
    assert find(question).results == find(question, unit="passage").results == []


@pytest.mark.parametrize("question", ["what should I do?", "Do we have it?", "()", '""', "-----", "?!."])
def test_a_question_of_stop_words_and_punctuation_asks_for_nothing(question: str) -> None:
    known("称呼客户时使用“您”")
    talk("Anna: Yes, do that.", "Ben: Do it (now)!")
    assert find(question).results == find(question, unit="passage").results == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When does Acme pay its invoices?", INVOICES[0]),
        ("Which invoices does finance approve?", INVOICES[1]),
        ("how does Globex want to get its invoices", INVOICES[4]),
    ],
)
def test_what_answers_the_question_is_relevant_and_the_rest_less(question: str, answer: str) -> None:
    for text in INVOICES:
        known(text)
    found = find(question).results
    assert found[0].memory.content == answer
    assert (found[0].relevance or 0) > 0.5
    assert all((other.relevance or 0) < (found[0].relevance or 0) for other in found[1:])


LONG = (
    "崇陵位于清西陵，是清代最后一座帝陵。刘节，浙江温州人，历史学家，早年就读于清华国学研究院，师从梁启超与王国维。"
    "刘节后来在中山大学任教。陈寅恪去世前，刘节每逢旧历新年都去向老师行礼，他的人格受到学界尊敬。"
) * 4 + "他常说，无论什么时候，怎样艰难，都要训练自己。"


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("刘节为什么受人敬仰？", True),
        ("刘节的老师是谁？", True),
        ("什么时候种番茄？", False),
        ("怎样训练马拉松", False),
        ("客户什么时候付款？", True),
        ("报销的截止日期是几号？", True),
        ("客户喜欢什么颜色的衣服和鞋子", False),
    ],
)
def test_question_words_answer_nothing_and_one_chance_pair_in_a_long_chinese_text_little(
    question: str, is_answered: bool
) -> None:
    for text in (LONG, "客户华联要求月结三十天付款", "每月五号之前提交上个月的报销单，截止日期不变"):
        known(text)
    assert bool(find(question).results) is is_answered


def test_one_weak_stem_does_not_beat_meaning() -> None:
    for text in INVOICES:
        known(text)
    known("run the follow-up tracker")
    known("The physician recommended rest after the surgery")
    found = find("what did the doctor advise following the operation")
    assert said(found)[0] == "The physician recommended rest after the surgery"
    by_content = {result.memory.content: result for result in found.results}
    assert (by_content["run the follow-up tracker"].relevance or 0) < (found.results[0].relevance or 0)


def test_the_other_memories_do_not_make_one_more_relevant() -> None:
    known("The lamp in the hall is green")
    alone = relevance("which colour is the green lamp")
    for text in INVOICES:
        known(text)
    assert relevance("which colour is the green lamp") == pytest.approx(alone, abs=0.2)
    assert find("what is the capital of France").results == []


def test_a_score_says_how_well_a_question_is_answered_at_all() -> None:
    for text in INVOICES:
        known(text)
    good, weak = (find(text).results for text in ("When does Acme pay its invoices?", "Does Acme ever complain?"))
    assert good[0].score == pytest.approx(max(one.relevance or 0 for one in good))
    assert good[0].score > weak[0].score > 0
    assert [one.score for one in good] == sorted((one.score for one in good), reverse=True)
    assert all((one.relevance or 0) >= 0.1 for one in good)  # claims that answer nothing of it are left out


def test_a_passage_and_an_episode_are_as_relevant_as_what_was_said() -> None:
    talk("Anna: Which sauce did you use for the lasagna?", "Ben: Grandma's recipe, with basil")
    assert relevance("sauce for the lasagna", unit="passage") == relevance("sauce for the lasagna") > 0.5
    assert relevance("sauce for the lasagna", types=[Type.EPISODIC.value]) > 0.5


def test_without_a_question_nothing_is_relevant_or_not() -> None:
    known("Acme pays late")
    assert find().results[0].relevance is None


def test_what_all_texts_have_in_common_is_left_out_of_the_comparison() -> None:
    """As the database computes it, it is the centred similarity of both vectors."""
    text, query = "The physician recommended rest", "doctor advice"
    memory = known(text)
    [result] = find(query).results
    built_in = embedding.built_in()
    ours, theirs = built_in.embed([query, text])
    alike = embedding.centred_similarity(ours, theirs, mean=built_in.mean)
    assert result.memory == memory
    assert result.relevance == pytest.approx(alike / 2, abs=2e-3)  # no word in common
    assert alike < (result.cosine or 0) - 0.1


def test_a_model_without_a_known_mean_is_compared_as_it_is(settings: Any) -> None:
    with embedding_endpoint.listening() as listening:
        settings.EMBEDDING_ENDPOINT, settings.EMBEDDING_MODEL = listening.url, "m"
        EmbeddingModel.objects.create(name="m", dimensions=8, near_duplicate_threshold=0.8, active=True)
        passage = Passage.objects.get(memory=known("The physician recommended rest"))
        vector = embedding.embedder().embed(["doctor"])[0]
        same = {"scope": passage.scope, "sensitivity": passage.sensitivity}
        Vector.objects.create(passage=passage, model="m", embedding=vector, **same)
        [result] = find("doctor").results
    assert result.cosine == pytest.approx(1, abs=1e-2)
    assert result.relevance == pytest.approx(0.5, abs=1e-2)
