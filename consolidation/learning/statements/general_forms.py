"""Words and forms of clauses that say how things are in general, and of replies that reject an answer."""

import re

from memories.lexicon import words


def _any(text: str) -> str:
    """An alternative of these words, the longer of two before the one that it begins with."""
    return "(?:" + "|".join(sorted(words(text), key=len, reverse=True)) + ")"


def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# A reply that may say that an answer or a piece of work is wrong: broad, what is general decides. A regular expression
# of PostgreSQL too, where `\b` is `\y`.
REJECTION = (
    r"^\W*(?:no|nope|nah|nein|not|still (?:not|no|wrong|off)|looks off|wrong|incorrect|hm+|ehm|almost|sorry"
    r"|viel zu|falsch)\b"
    r"|\byou(?:'ve| have|'re)? (?:\w+ly |also |just |still |only |again )?(?:\w+ed|put|took|sent|left|read|forgot|made"
    r"|got|gave|went|built|wrote|did|ran|using|counting|mixing)\b"
    r"|\b(?:(?:is|are|was|way) (?:all )?off|off by|wrong|incorrect|nonsense|no good|not happy|undo|revert|over budget"
    r"|too (?:high|low|many|few|much|big|small|late|early|good|long|short)|double[- ]count\w*|can't be|cannot be"
    r"|(?:doesn't|don't|does not|do not) (?:add up|match|agree|look right|touch|ask|reconcile)|shouldn't"
    r"|isn't|aren't|that's not|this is not|it's not|that's (?:gross|net|the old)|should (?:be|have)|i (?:get|count) \d"
    r"|i'd have expected|how could|why did|why is|why are|we never|last year's|you can't|(?:won't|wont) fly"
    r"|you're (?:missing|off)|your (?:figure|number|list|total|report) (?:includes|has|says|misses)"
    r"|still (?:ha[sd]|have|shows?|says?|reads)|i (?:see|find|found|have|got) no|no \w+ (?:came|arrived|went out)"
    r"|ha(?:s|ve) to be (?:\w+ ){1,3}(?:when|before|after|once|until|first)|still (?:in|on|at) the"
    r"|(?:each|every) (?:\w+ ){1,4}(?:needs|has to|must|goes|is)\b|please (?:correct|mend|redo|adjust)"
    r"|stimmt nicht)\b"
    r"|[不没]对|不是|不能|不行|不该|不像|错|漏|少了|多了|都差|差了|[多少]算|太[低高多少大小远]|有问题|怎么|对不上|重[新算做]"
)
OPENING = _regex(
    r"(?:\W(?<![`\"“])|\b(?:no|nope|nah|wrong|incorrect|not correct|sorry|hm+|mmh|ehm|well|actually|but|and|also|so"
    r"|again|note|fyi|because|since|that's because|remember|ok|yes|here)\b)+"
)
OPENING_CHINESE = re.compile(r"(?:\W|不对|不是|错了|不行|等等|嗯|哦|唉)+")
NEXT = _regex(
    r"\s*[,;:—–?]\s+(?:(?:and|but|so|also) )?|\s+-+\s+|\s+(?:because|since|as)\s+|\.\.+\s*|(?<=\w) and (?=\w+s\b)"
)
# The subjects of "power, water and telephone are finance's", at the beginning of a clause.
SUBJECTS = _regex(
    r"(?:^|[:;—–]\s+|\b(?:no|nope|wrong|sorry|well),\s+)(?!(?:no|nope|wrong|sorry|well),)"
    r"((?:[\w-]+,\s+){1,4}[\w-]+(?:\s[\w-]+)?,?\s+(?:and|or|und|oder)\s)"
)
NEXT_CHINESE = re.compile(r"[,，;；?？]")
# With these begins no clause that is understood alone: what points back, asks, tells to do or sets a condition.
_NO_SUBJECT = (
    _any(
        "this that these those it its they he his him she i i'm i've i'd my mine me you your you're you've there what"
        " which who whose such how why where if in on at for from with as to of or then now maybe perhaps same another"
        " some something next last let let's just still not please pls thanks look looks seem seems should did does do"
        " is are can could will would has have yeah once after before whether until unless need needs waiting sure"
        " thing things other otherwise no ask send"
    )
    + r"\b"
)
_WORD = r"(?:[^\s,.;:!?()=]|\.(?=\w))+"
_SELDOM = r"(?:(?:only|always|never|usually|normally|also|all|not|by default|just|here)\s+)*"
_DONE = _any(
    "measured calculated computed stored billed invoiced counted kept recorded reported logged converted paid owned"
    " generated maintained based booked charged shipped treated rounded defined taken allowed required exempt excluded"
    " included approved signed tracked sent due deprecated frozen read-only net gross per reserved"
)
_STATE = (
    rf"(?:{_DONE}"
    r"|part of|used for|for (?:internal|external|test)|(?:the|our) source of|(?:just |only )?(?:an?|the) (?:test|dummy)"
    r"|in (?:euros?|utc|local time|[a-z]+s|the \w+ (?:table|file|sheet|folder)|[A-Z]{3}))"
)
# Verbs that define: they make a clause general whatever its subject is.
_DEFINES = (
    rf"(?:(?:is|are|isn't|aren't)\s+{_SELDOM}{_STATE}|{_SELDOM}(?:belongs? to|includes?|excludes?|means?|comes? from"
    r"|come in|counts? (?:as|in|from|to|only|all)|refers? to|logs?|reports? (?:in|to)|takes? (?:max|at most|up to)"
    r"|runs? (?:from|on)|starts? (?:in|on|at)|ends? (?:in|on|at)|(?:has|have|needs?) to (?:go|be|come|have|pass)"
    r"|needs? (?:an?|two|the|approval)|requires?|goes? (?:through|to)|applies|apply|must|may (?:only|not|never)"
    r"|cannot|can't be|can only|never|always"
    r"|(?:doesn't|don't) (?:include|count|apply|support|accept|allow|belong|ship|deliver)"
    r"|(?:hasn't|haven't) been (?:maintained|updated|used)))"
)
# Verbs that do so where the subject has no article.
_VERB = _any(
    "are aren't is isn't were don't doesn't can can't have has get gets go goes appear appears stay stays live lives"
    " run runs end ends start starts use uses own owns hold holds close closes open opens pay pays ship ships send"
    " sends need needs come comes want wants expect expects accept accepts work works sit sits report reports"
    " count counts mean means deploy deploys identify identifies cost costs arrive arrives expire expires receive"
    " receives follow follows require requires include includes belong belongs do does"
)
_WE_DO = _any(
    "count use ship charge keep store report call measure convert bill exclude include treat take leave book pay"
    " round close accept group sort subtract invoice track deploy merge release weight put write buy sell sign"
    " hire quote send"
)
GENERAL = _regex(
    rf"(?!{_NO_SUBJECT})(?:{_WORD}\s+){{1,8}}?{_DEFINES}\s+\S.*"
    rf"|(?!(?:the|our|their)\b)(?!{_NO_SUBJECT})(?:{_WORD}\s+){{1,8}}?{_VERB}\s+\S.*"
    rf"|`?\w+[_.]\w+`?\s+{_VERB}\s+\S.*"
    rf"|(?:(?:on|in|for) (?:{_WORD}\s+){{1,3}})?we\s+"
    rf"(?:(?:only|always|never|usually|also|do not|don't|can't|cannot)\s+)*{_WE_DO}\s+\S.*"
    r"|(?:this|our) (?:repo(?:sitory)?|project|code ?base|team|company|app|service)\s+(?:(?:only|never|always)\s+)?"
    r"\w+s\s+\S.*"
    rf"|(?!{_NO_SUBJECT})(?:{_WORD}\s+){{1,4}}?{_VERB}\s.*\b(?:after|before|with|for|on|in|at)\s+(?:each|every)\s+\w.*"
    r"|when we say\s.+\bmeans?\s.+|(?:each|every|any|anything|everything|nobody|no one|everyone)\s+(?:\S+\s+){3,}\S+"
    rf"|(?:{_WORD}\s+){{1,4}}=\s*\S+\s+\S+.*|use \S+ for \S.*"
)
# What a rule does not say: the speaker, the listener, what happens now, what went wrong.
OF_HERE = _regex(
    r"#\s?\w*\d|\b\w*\d{5,}\b|(?-i:\b(?!(?:ISO|UTF|SHA|RFC|AES)-)[A-Z]{1,6}-\d{2,}\b)|\b(?:i|i'm|i've|me|my|still|again|was|had|did|didn't|will|would|could|hope|today(?!'s)|tomorrow"
    r"|yesterday|now|currently|above|below|previous|old|fail\w*|broken|crash\w*|error|exception|wrong|missing"
    r"|empty|undefined|null|too (?:high|low|many|few|much|big|small|late|early|long|short)|(?:is|are) (?:\w+ing|off)"
    r"|(?<!before )(?<!when )(?<!if )(?<!once )(?<!until )you|your|this (?:one|row|order|page)|these)\b"
    r"|\d+ of the \d+\b|\?|\b(?:said|says|told|asked|wrote|claims?)\b"
)
TAIL = _regex(
    r"\s*(?:,|;|—|–|\s-)\s*(?:(?:so|but|and|while|yet)\s+(?:that's|i|i'm|you|you're|you've|please|can|could|q\d)\b"
    r"|(?:you|yes|check|please|redo|not left|take it|use)\b).*$|\s+-+\s.*\b(?:you|i)\b.*$"
    r"|\s*[,;:–—-]\s*[\d.,]+ (?:here|now|in this case)\.?$|\s+(?:so|and|while|but|&) (?:you|you're|you've|i|i'm)\b.*$"
)
GENERAL_CHINESE = re.compile(
    r"^[^是]{2,10}是(?!不是)(?!\d{3})..|算|的是(?!\d)|按.{1,12}(?:计|记|换算|统计|去重|来)|以.{1,12}为准|包[括含]|不?计入|不进"
    r"|[要应]扣除|[要应]减去|是指|等于|叫|都|一律|统一|规定|要(?!是).{2,}|归.{1,8}管|不含|含税|只[能有认看]|必须|另起"
    r"|不允许|不能|禁止|走.{2}"
)
OF_HERE_CHINESE = re.compile(
    r"^[那它他她]|这(?![边里])|刚才|刚刚|现在|今天|昨天|明天|本次|第[一二三四五六七八九十\d]+|\d{5,}|我(?![们司])|[你您吗呢吧错]|还是|报错"
    r"|失败|没|重[新算做]|了$"
)
TAIL_CHINESE = re.compile(r"[,，;；](?=.*(?:你|我(?!们)|重[新算做]|麻烦|现在|剔)).*$")
