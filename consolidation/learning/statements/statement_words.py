"""Manners that are asked for, and what ties a sentence to the task at hand."""

from memories.lexicon import words

MANNERS = frozenset(
    f"be {manner}"
    for manner in words("brief careful clear concise consistent direct formal honest informal polite precise")
)

# A sentence about this very task, or one that says nothing without the sentence before it.
HERE = (
    r"(?i:\b(?:this|these|those|today|tonight|tomorrow|yesterday|currently|at the moment|(?<!from )now"
    r"|for the time being|(?<!from )here|there|instead(?! of)|either|neither|any ?more|any further|yet|so far|above"
    r"|below|(?:anything|anyone|nothing|something|someone) else"
    r"|the (?:first|second|third|last|former|latter|other|same|cheapest|original) (?:one|option))\b"
    r"|\bthat(?=\s*(?:$|[.,;:!]|one\b|way\b|is\b|was\b|would\b))|\b(?:do|like|for|about|of|with|to|than) that\b"
    r"|#\s?\w*\d)|\b\w*\d{5,}\b|\b[A-Z]{2,4}\d{3}\b"
)
# After "don't", "remember to" and "I prefer", where nothing else says that the sentence is a rule.
SINGLE = (
    r"\b(?:the|my|our|your|his|their|it|them|him|her|any|anything|everything|one|ones|all|again|refunds?|exchanges?"
    r"|option|certificate|gift card|credit card|paypal|replacement)\b"
)
HERE_CHINESE = (
    r"这|那(?!么)|此|该|它|他们?|她|刚才|刚刚|现在(?!开始|起)|今天(?!起|开始)|今晚|明天|昨天|本次|目前|暂时|第[一二三四五六七八九十\d]+"
    r"|其他|其它|别的|上面|下面|\d{5,}"
)
SINGLE_CHINESE = r"订单|退款|退货|换货|取消|包裹|快递|优惠券|账单|了$"
