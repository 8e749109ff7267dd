"""Detect the category of a statement by its words (English and Chinese)."""

import re

from memories.lexicon import chinese_words
from memories.lexicon.english_words import EACH_TIME, OFTEN
from memories.values.choices import Category
from memories.values.text import normal

LONGEST_TEXT = 10_000  # what a statement is, it says at its beginning

# "always", where it only stresses what is done after something else
_PROCEDURE = re.compile(
    r"^\W*(?:after|before|once|as soon as|every time|each time)\s+(?!\d)\w[^.!?。！？\n]{0,400}?[,\s]\s*"
    r"(?:please\s+|then\s+)?(?:always|make sure (?:to|that|you)|be sure to)\s+(?!prefer|avoid|be\b)\w"
    r"|^.{1,50}?(?:之[前后]|以[前后]|[完结]束?成?[前后])[，,]?\s*(?:请)?(?:总是|始终|务必|一定要)(?!避免|不)"
)
# said as a rule or a wish
_RULE = re.compile(
    r"\b(?:always|never(?!\s+mind\b)|from now on|going forward|prefer(?:s|red)?|preference|rather not"
    r"|i'd rather|dislikes?|avoid|make sure|do not|don't|dont|must not|mustn't|favou?rs?|favou?rite"
    r"|hates?|loves?|likes|i like)\b"
    r"|\b(?:instead of|rather than)\b|^\W*(?:please\s+)?(?:remember to|use|format)\s+\w"
    r"|总是|始终|永远|从不|绝不|不要|请勿|切勿|(?<![特分区级类性个告差识])别(?![人的处墅])|务必|一定要|以后都|从现在[开起]|从今|今后"
    r"|(?:^|[，,；、])(?:以后|往后)(?:请|就|只|别|不)|喜欢|偏好|偏爱|倾向|宁愿|而不是|讨厌|避免|禁止"
)
_PAST = re.compile(
    r"\bnever\s+(?:(?!need|feed|speed|exceed|proceed|succeed)[a-z]+ed|got|heard|seen|saw|been|had|came|sent|did|was)\b"
)
_IMPLIED = re.compile(
    r"\b(?:i|we|they|he|she|it|you)\s+(?:do not|don't|dont)\s+"
    r"(?:know|think|understand|see|remember|have|get|care|mind)\b"
)
_CONTACT = re.compile(
    r"[\w.+-]{1,64}+@[\w-]{1,63}+\.\w|(?<![\w.])\+\d[\d ()-]{7,18}\d|(?<![\d.])\d{3}[ .-]\d{3,4}[ .-]\d{4}(?!\d)"
    r"|\b(?:main|primary|key|billing|sales|support|technical|emergency|first|point of|our|the|my|a) contact\b"
    r"(?! (?:form|page|list|us))"
    r"|\bcontact (?:is|person|for|at|details|info)\b|\b(?:phone|mobile|telephone) (?:number )?is\b|\baccount manager\b"
    r"|\bdecision[- ]maker\b|\bis (?:the |our |their )?(?:c[etfo]o|vp|head of)\b"
    r"|\breach (?:me|him|her|them|us) (?:at|on|via)\b|\be-?mail(?: address)? is\b|\breports to\b"
    r"|联系人|联系方式|电话|手机号|邮箱|微信号|负责人|对接人|客户经理|(?<!\d)1[3-9]\d{9}(?!\d)"
)
_WORKFLOW = re.compile(
    r"^\W*(?:after|before|once|when|whenever|every time|each time|if)\s+(?!\d)\w.{0,400}?(?:,|\bthen\b"
    r"|\b(?:run|send|update|create|check|call|open|review|notify|file|write|post|start|schedule|ask|add|move|archive|export)\b)"
    r"|\b(?:workflow|procedure|checklist|follow-up tracker|step \d|steps?:|first\b.{1,200}?\bthen|and then)\b|->|→"
    r"|\b(?:run|send|update|create|check|notify|archive|export)\b.{1,200}?"
    r"\b(?:after|before|once|whenever|as soon as)\s+(?!\d)"
    r"|流程|步骤|工作流|首先|然后|之后再|先.{1,50}?再|完成后|结束后|每当|(?<![现实存])当.{1,50}?时"
)
_PATTERN = re.compile(rf"\b(?:{OFTEN}|{EACH_TIME})\b|{chinese_words.OFTEN}")


def category_of(text: str) -> Category:
    """A rule or a wish before a contact, a contact before a procedure, a procedure before a habit; else a fact. What is
    always done after something else is a procedure."""
    plain = _plain(text)
    if _PROCEDURE.search(plain):
        return Category.WORKFLOW
    if _RULE.search(_PAST.sub(" ", _IMPLIED.sub(" ", plain))):
        return Category.PREFERENCE
    if _CONTACT.search(plain):
        return Category.CONTACT
    if _WORKFLOW.search(plain):
        return Category.WORKFLOW
    return Category.PATTERN if _PATTERN.search(plain) else Category.FACT


def _plain(text: str) -> str:
    return normal(text[:LONGEST_TEXT]).replace("’", "'").casefold()
