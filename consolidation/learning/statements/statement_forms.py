"""The forms of a clause that states a lasting rule, wish or habit, in English and Chinese."""

import re

from memories.lexicon import chinese_words, words
from memories.lexicon.english_verbs import HABITS, SERVICE, WORK

LEAST_WORDS = 2
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


def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


_HERE, _SINGLE = re.compile(HERE), _regex(SINGLE)
_HERE_CHINESE, _SINGLE_CHINESE = _regex(HERE_CHINESE), _regex(SINGLE_CHINESE)
_REMEMBER = _regex(
    r"(?:please\s+)?(?:always\s+)?(?:remember|keep in mind|bear in mind|don't forget|do not forget)\b"
    r"(?:\s+for (?:the )?(?:future|next time))?\s*(?P<link>[:,—–-]|that\b|to\b|)\s*(?P<body>.+)"
)
_TELLS = _regex(r"\b(?:said|says?|told|tells|asked|mentioned|heard|when|how|why|where|who|what)\b")
_NO_SUBJECT = _regex(r"(?:you|it|this|that|there|they|he|she|i'll|i will|we'll|let's|just|even)\b")
_TO_YOU = _regex(r"\b(?:you|your|yourself)\b")
_LASTING_START = _regex(r"(?:please\s+)?(?:from now on|from here on(?: out)?|going forward)\b[\s,:—–-]*(?P<body>.+)")
_LASTING_END = _regex(r"(?P<body>.+?),?\s+(?:from now on|from here on(?: out)?|going forward)\W*")
_TO_AGENT = (
    r"(?:please\s+)?(?:(?:you|we|agents?|everyone)\s+(?:should|must|need to|have to)\s+"
    r"|(?:i|we)(?:'d| would)?\s+(?:want|need|like|expect)\s+you\s+to\s+"
    r"|make sure (?:to|you|that you)\s+|be sure to\s+)?"
)
_DO = _regex(_TO_AGENT + r"(?:please\s+)?(?:always|never(?:\s+ever)?)\s+(?P<work>be\s+[\w-]+|[\w-]+)\s*(?P<body>.*)")
_SELF = _regex(r"(?:i|we)(?:'d| would)?\s+(?:always|never)\s+(?P<work>[\w-]+)\s+(?P<body>.+)")
_PREFER = _regex(
    r"(?:i|we)\s+(?:(?:generally|usually|always|really|strongly|much|personally|typically|normally)\s+)?prefer\s+"
    r"(?!not\b)(?P<body>.+)|(?:my|our)\s+(?:general\s+)?preference\s+is\s+(?!not\b)(?:for\s+|to\s+)?(?P<wish>.+)"
)
_DONT = _regex(r"(?:please\s+)?(?:do not|don't|dont)\s+(?P<ever>ever\s+)?(?P<work>[\w-]+)\s+(?P<body>.+)")
_CONDITION = _regex(
    r"(?P<when>if|when|whenever|before|after|once|for|on|in|with|during|every|each|at)\b[^,]{2,150}?"
    r"(?:,\s*|\s+(?=(?:(?:i|we)\s+)?(?:always|never|prefer)\b))(?P<rule>.+)"
)
_FIELD = _regex(r"(?:my|our)\s+[\w' -]{2,40}(?::|\s+(?:is|are)\b)\s*\S")
_FOR_ME = _regex(rf"{SINGLE}|\b(?:me|us)\b")
_ONE_CHANGE = _regex(
    r"(?:i|we)(?:'d| would)?\s+(?:also\s+|just\s+|only\s+)*(?:want|need|like)\s+(?!.*\b(?:each|every|always|never)\b)"
    r"(?:to\s+(?:cancel|change|close|modify|refund|return|update)\b"
    r"|.*\b(?:updated|changed|corrected|modified|switched|replaced|cancell?ed|refunded|returned|exchanged)\b)"
)
_COMMONPLACE = re.compile(
    r"[a-z][^A-Z\d`/@]*\b(?:is|are)\s+(?:(?:so|very|really|super|always|also|just|quite|extremely)\s+)*"
    r"(?:important|key|essential|crucial|vital|normal|natural|ok|okay|fine|hard|tough|worth it|possible|enough"
    r"|everything|good|great|best|beautiful|precious|powerful|amazing|rewarding)\W*"
)
_OURS = _regex(r"\b(?:i|i'm|me|my|we|us|our)\b")
_POINTS_BACK = _regex(r"(?:it|them|him|her|that|so|up|ones?)\b")


def lasting(clause: str) -> str | None:
    """The words of a clause that are to be kept, without what introduces them; None: it is no lasting statement."""
    if states_a_rule(clause):
        return None if _HERE.search(_IN_OURS.sub(" ", clause)) else clause
    if match := _CONDITION.match(clause):
        rule, never_alone = match["rule"], match["when"].lower() == "if"
        is_lasting = _is_rule(rule) or (not never_alone and _is_preference(rule))
        return clause if is_lasting and not _HERE.search(clause) else None
    if _LASTING_START.match(clause) or _LASTING_END.fullmatch(clause):
        return clause if _is_lasting(clause) else None
    if match := _REMEMBER.match(clause):
        return _remembered(match["link"].lower(), match["body"])
    is_lasting = _is_rule(clause) or _is_preference(clause) or _is_ban(clause)
    return clause if is_lasting and not _HERE.search(clause) else None


def _remembered(link: str, body: str) -> str | None:
    if _HERE.search(body) or _TELLS.search(body):
        return None
    if _is_rule(body) or _is_preference(body) or _is_ban(body):
        return body
    if link == "to":
        first, _, rest = body.lower().partition(" ")
        return body if first.strip(",.;:") in WORK and rest and not _FOR_ME.search(body) else None
    if not link:
        return body if _FIELD.match(body) else None
    advice = _NO_SUBJECT.match(body) or _TO_YOU.search(body) or _is_commonplace(body)
    return body if len(body.split()) >= LEAST_WORDS and not advice else None


def _is_lasting(clause: str) -> bool:
    match = _LASTING_START.match(clause) or _LASTING_END.fullmatch(clause)
    if match is None or _HERE.search(clause):
        return False
    body = match["body"]
    single = _NO_SUBJECT.match(body) or _ONE_CHANGE.match(
        body
    )  # one change of a record lasts, the wish for it does not
    return _is_rule(body) or (len(body.split()) >= LEAST_WORDS and not single)


def _is_commonplace(body: str) -> bool:
    """What holds for everybody, said to encourage: "staying positive is important"."""
    return bool(_COMMONPLACE.fullmatch(body)) and not _OURS.search(body)


def _is_rule(clause: str) -> bool:
    """Something to be done always or never, by the agent or by the user."""
    if match := _DO.match(clause):
        return " ".join(match["work"].lower().split()) in WORK | MANNERS and not _POINTS_BACK.match(match["body"])
    match = _SELF.match(clause)
    return bool(match and match["work"].lower() in HABITS and not _POINTS_BACK.match(match["body"]))


def _is_preference(clause: str) -> bool:
    match = _PREFER.match(clause)
    return bool(match and not _SINGLE.search(match["body"] or match["wish"]))


def _is_ban(clause: str) -> bool:
    match = _DONT.match(clause)
    if match is None or match["work"].lower() not in WORK - SERVICE or _POINTS_BACK.match(match["body"]):
        return False
    return bool(match["ever"]) or not _SINGLE.search(match["body"])


_ASK = r"(?:请你?|麻烦你?|你要|我?希望你)?"
_REMEMBER_CHINESE = _regex(
    rf"{_ASK}(?:一定要|务必)?(?P<verb>记住|牢记|记下来?|记得|别忘[了记]?|不要忘[了记]?)(?:了|一下)?[：:，,\s]*(?P<body>.+)"
)
_LASTING_CHINESE = _regex(
    rf"{_ASK}(?:从现在(?:开始|起)|从今以后|从今天(?:开始|起)|今后|以后|往后)[，,：:\s]*"
    r"(?!.*(?:不会|再也|[不没].{0,4}了[。！!]*$))[^，。]{0,12}?"
    r"(?:请|都|每次|一律|统一|不要|别|不准|不得|不许|禁止|总是|始终|永远|绝不|只|务必|一定要|必须)."
)
_RULE_CHINESE = _regex(
    rf"{_ASK}(?:(?:永远|始终|总是)(?:都|请)?(?:不要|别|不准|不得|不能|不可|不许|要|先|用|使用|以|把|给|保持|让|只)"
    r"|一律|统一|绝不[要能可]|任何时候都|每次[^，。]{1,20}?都(?:要|必须|先))."
)
_SELF_CHINESE = _regex(
    r"我们?(?:总是|始终|一直|永远|从来不|从不|每次[^，。]{0,20}?都|一律)(?:都|只|要|想要|需要|会)?"
    r"(?=[要想坐住订吃喝穿选买用使走飞喜偏只付])."
)
_PREFER_CHINESE = _regex(
    r"我们?(?:个人)?(?:更|比较|很|最|一直|通常|一般|特别|非常|都)?(?:喜欢|偏好|偏爱|倾向于?)[^你您了过].*(?<![的件款个])$"
)
_BAN_CHINESE = _regex(
    rf"(?:请你?|麻烦你?)?(?:千万)?(?:不要|请勿|切勿|别)(?!.*(?:我的|你的))[{chinese_words.WORK}].{{2,}}"
)
_FIRM = ("记住", "牢记", "记下", "记下来")  # "记得" mostly reminds of one thing to do


def lasting_chinese(clause: str) -> str | None:
    """As `lasting`, of a Chinese clause."""
    if _HERE_CHINESE.search(clause):
        return None
    match = _REMEMBER_CHINESE.match(clause)
    if match is None:
        return clause if _is_rule_chinese(clause) else None
    firm = match["verb"] in _FIRM and len(match["body"]) > LEAST_WORDS and not _SINGLE_CHINESE.search(match["body"])
    return match["body"] if firm or _is_rule_chinese(match["body"]) else None


def _is_rule_chinese(clause: str) -> bool:
    if any(form.match(clause) for form in (_LASTING_CHINESE, _RULE_CHINESE, _SELF_CHINESE)):
        return True
    single = _SINGLE_CHINESE.search(clause)
    return not single and bool(_PREFER_CHINESE.match(clause.rstrip("。！!. ")) or _BAN_CHINESE.match(clause))


# Rules by which people correct a coding agent, without "always" or "never": "In this repo we use pnpm, not npm", "You
# have to run `make client` every time you change a serializer", "Every PR needs a changelog entry".
PROJECT_TRIGGERS = (
    r"(?:this|our) (?:repo|project|code ?base|monorepo|team)",
    r"we (?:only )?use ",
    r"(?:have|need) to |must |should ",
    r"next time",
    r"in (?:the )?future",
    r"(?:needs?|requires?|has to) ",
)
_SHARED = r"(?:repo(?:sitory)?|project|code\s?base|monorepo|team)"
_IN_OURS = re.compile(rf"(?:,?\s*\b(?:in|for|on|within)\s+(?:this|our)\s+{_SHARED}\b[\s,:]*)", re.IGNORECASE)
# What a team works by; what a task is about ("each file must be overwritten") is none.
_THINGS = (
    r"(?:prs?|(?:pull|merge)\s+requests?|commits?(?:\s+messages?)?|migrations?|releases?|branch(?:es)?|tickets?"
    r"|hot\s?fix(?:es)?|deployments?)"
)


_DUTY = r"(?:(?:also|first)\s+)?(?:always\s+)?(?:have\s+to|need\s+to|must|should)\s+(?:(?:also|first|always)\s+)*"
_WE_DO = _regex(r"(?:we|agents?|everyone)\s+(?:(?:only|always|usually|just)\s+)*(?P<work>[\w-]+)\s+\S.*")
_WE_USE = _regex(r"(?:no\W+)?we\s+(?:only\s+)?use\s+\S.*?(?:,\s*|\s+)(?:not|instead of|rather than)\s+\S.*")
_EACH_TIME = _regex(
    rf"(?:please\s+)?(?:you|we|agents?|everyone)\s+{_DUTY}(?P<work>[\w-]+)\s+.*"
    r"\b(?:every\s*time|each\s+time|whenever|(?:after|before)\s+(?:every|each))\b.+"
)
_ALWAYS_DUTY = _regex(
    r"(?:you|we|agents?|everyone)\s+always\s+(?:have\s+to|need\s+to|must|should)\s+(?P<work>[\w-]+)\s+\S.*"
)
_NEXT_TIME = _regex(
    r"(?:for\s+)?(?:the\s+)?(?:next\s+time|in\s+(?:the\s+)?future)\b[\s,:—–-]*(?:please\s+)?(?P<work>[\w-]+)\s+"
    r"(?!.*\b(?:your|me|us|him|her)\b)\S.*"
)
_EACH_THING = _regex(
    rf"(?:every|each|all|any)\s+(?:new\s+|public\s+)?{_THINGS}\s+(?:needs?|requires?|must|ha(?:s|ve)\s+to|should)\s+\S.*"
)
_OF_THING = _regex(
    r"(?:the|an?|each|every)\s+(?:[\w-]+\s+){1,4}?(?:must|has\s+to|have\s+to|needs?\s+to)\s+(?:always|never)\s+[a-z]+\s+\S.*"
)


def states_a_rule(clause: str) -> bool:
    """Return whether a clause states a rule of a project."""
    general = _IN_OURS.sub(" ", clause).strip(" ,:")
    if general != clause.strip(" ,:") and (match := _WE_DO.fullmatch(general)):
        return _is_work(match)
    if _WE_USE.fullmatch(general) or _EACH_THING.fullmatch(general) or _OF_THING.fullmatch(general):
        return True
    matches = (form.fullmatch(general) for form in (_EACH_TIME, _ALWAYS_DUTY, _NEXT_TIME))
    return any(match and _is_work(match) for match in matches)


def _is_work(match: re.Match[str]) -> bool:
    return match["work"].lower() in WORK
