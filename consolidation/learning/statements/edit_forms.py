"""What is compared of a draft and of the text that a person sent instead, and the rules that follow: in English, German
and Chinese."""

import re

from consolidation.learning.statements.text_forms import LONGER, NO_EXCLAMATION, SHORTER
from memories.lexicon.chinese_words import HAN

Words = dict[str, str]  # language -> words


def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|tember|ober|ember)?"
DAY_FIRST = _regex(rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b")
# Form -> what is written with it; the rule of those who take it out, and of those who put it in (None: none follows).
MARKS: dict[str, tuple[re.Pattern[str], Words, Words | None]] = {
    "exclamation": (_regex(r"[!！]"), NO_EXCLAMATION, None),
    "emoji": (
        re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]"),
        {"en": "no emojis", "de": "keine Emojis", "zh": "不用表情符号"},
        {"en": "with emojis", "de": "mit Emojis", "zh": "用表情符号"},
    ),
    "bold": (
        _regex(r"\*\*\S"),
        {"en": "nothing in bold", "de": "nichts fett", "zh": "不用粗体"},
        {"en": "with words in bold", "de": "mit fetten Wörtern", "zh": "用粗体"},
    ),
    "headings": (
        _regex(r"(?<=\n)#{1,6} |^#{2,6} "),  # not the title
        {"en": "no headings", "de": "keine Zwischenüberschriften", "zh": "不用小标题"},
        {"en": "with headings", "de": "mit Zwischenüberschriften", "zh": "用小标题"},
    ),
    "bullets": (
        _regex(r"^\s*[-*•] \S"),
        {"en": "no bullet points", "de": "keine Stichpunkte", "zh": "不用项目符号"},
        {"en": "in bullet points", "de": "in Stichpunkten", "zh": "用项目符号"},
    ),
    "table": (
        _regex(r"^\s*\|.+\|"),
        {"en": "no table", "de": "keine Tabelle", "zh": "不用表格"},
        {"en": "with a table", "de": "mit einer Tabelle", "zh": "用表格"},
    ),
    "dash": (
        _regex(r"[^\W\d] ?— ?[^\W\d]|[^\W\d] – [^\W\d]"),
        {"en": "no dashes", "de": "keine Gedankenstriche", "zh": "不用破折号"},
        None,
    ),
    "hashtags": (
        _regex(r"(?<!\S)#[^\W\d]\w*"),
        {"en": "no hashtags", "de": "keine Hashtags", "zh": "不加话题标签"},
        {"en": "with hashtags", "de": "mit Hashtags", "zh": "加话题标签"},
    ),
    "subject": (
        _regex(r"\A\W*(?:subject|betreff|主题)\W*[:：]"),
        {"en": "no subject line", "de": "keine Betreffzeile", "zh": "不写主题行"},
        {"en": "with a subject line", "de": "mit Betreffzeile", "zh": "写主题行"},
    ),
}
LENGTH: tuple[Words, Words] = (SHORTER, LONGER)
MONTH_FIRST = _regex(rf"\b{_MONTH} \d{{1,2}}\b(?!:)")
DAYS_FIRST: Words = {
    "en": "dates as 15 October, not October 15",
    "de": "Datum wie 15. Oktober",
    "zh": "日期先写日再写月",
}
FIGURES_FIRST: Words = {"en": "figures first", "de": "Zahlen zuerst", "zh": "先写数据"}
NO_GREETING: Words = {"en": "no greeting", "de": "keine Anrede", "zh": "不写称呼"}
GREETING: Words = {"en": "greet with “{} …”", "de": "Anrede „{} …“", "zh": "称呼用“{}”"}
NO_CLOSING: Words = {"en": "no sign-off", "de": "keine Grußformel", "zh": "不写落款"}
CLOSING: Words = {"en": "sign off with “{}”", "de": "am Ende „{}“", "zh": "落款写“{}”"}
FIRST_NAMES: Words = {"en": "first names only", "de": "nur Vornamen", "zh": "只写名字"}
SURNAMES: Words = {"en": "surnames only", "de": "nur Nachnamen", "zh": "只写姓"}

OPENER = _regex(
    r"\A(dear|hi|hello|hey|good (?:morning|afternoon|evening)|sehr geehrte[rs]?|liebe[rs]?|hallo|moin(?: moin)?"
    r"|guten (?:morgen|tag|abend)|尊敬的|亲爱的|各位|大家好)(?![\w-])|\A(?:尊敬的|亲爱的|各位|大家好|.{1,8}[您你]好)"
)
TITLE = _regex(r"\A(?:#|\*\*[^*]+\*\*\W*\Z|\W*(?:subject|betreff|主题)\W*[:：])")
LIST_ITEM = _regex(r"\A(?:[-*•|#]|\d{1,2}[.)]\s)")
OF_SENTENCE = re.compile(r"[:：，。]|[.!?！？;；]\W*\Z")
SENTENCE_END = re.compile(r"[.!?。！？:：;；]\W*\Z")
NUMBER = re.compile(r"\d[\d.,]*%?")
WORD = re.compile(rf"[{HAN}]|[^\W{HAN}]+(?:['’-][^\W{HAN}]+)*")
FULL_NAME = re.compile(r"\b([A-ZÄÖÜ][a-zà-ÿ]+) ([A-ZÄÖÜ][a-zà-ÿ]+(?:-[A-ZÄÖÜ][a-zà-ÿ]+)?)\b")
# A line before the text that is sent back: it was changed, or this is what went out.
SENT_BACK = _regex(
    r"\b(?:edited|changed|rewrote|rewritten|shortened|final|my version|version|sent|went out|published|posted"
    r"|geschickt|verschickt|rausgegangen|raus|überarbeitet|umgeschrieben|geändert|gekürzt|endfassung|fassung)\b"
    r"|改|最终|定稿|发的|发了|这版"
)
# What an agent says around a draft that it writes into the chat.
LEAD_IN = re.compile(r"\A[^\n]{1,120}[:：]\s*\n\s*\n")
OFFER = _regex(
    r"\n\s*\n(?:[^\n]{1,200}[?？]|(?:please )?(?:let me know|tell me|i can|i've|i have|happy to|feel free"
    r"|sag|gib|ich kann|ich habe|需要|如需|如果)[^\n]{0,200})\s*\Z"
)
