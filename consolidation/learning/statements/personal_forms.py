"""Words and forms of plain statements about oneself: preference, habit, place, job, date and allergy."""

import re

from memories.lexicon.english_words import EACH_TIME


def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# A message without any of these holds no such statement. Each is a regular expression, of PostgreSQL too.
TRIGGERS = (
    r"(?:^|[^a-z])i (?:[a-z]+ |don.?t )?(?:love|like|enjoy|adore|hate|dislike|prefer|live|reside|grew|work|teach|study"
    r"|own|run|volunteer|collect|drink|eat|fly|smoke|drive|was (?:born|raised)|go|play|read|cook|bake|swim|jog|meditate"
    r"|wake|practi[cs]e|exercise|commute|use|do|paint|write|take|have|walk|make|keep|watch|listen|spend|train|dance"
    r"|draw"
    r"|(?:can.?t|cannot) (?:stand|eat|drink))(?:[^a-z]|$)",
    r"(?:^|[^a-z])i (?:usually|typically|generally|normally|rarely|seldom|often|mostly|regularly|always|never) ",
    r"(?:^|[^a-z])i(?:.m| am) (?:[a-z]+ ){0,2}(?:from|based|allergic|intolerant|a|an|into|passionate)(?:[^a-z]|$)",
    r"(?:^|[^a-z])we (?:[a-z]+ )?(?:love|like|enjoy|hate|usually|always|often|never|go|play|watch|have|do|take|eat)",
    "(?:helps?|is|are) (?:me|my) ",
    r"(?:^|[^a-z])i(?:.ve| have) (?:always |been )",
    r"(?:^|[^a-z])i(?:.m| am) (?:[a-z]+ )?(?:vegan|vegetarian|diabetic|pescatarian)",
    r"(?:^|[^a-z])my (?:[a-z-]+ )?(?:fav(?:e|ou?rite)?s?|birthday|anniversary|job|occupation|profession|hometown|home)",
    r"(?:^|[^a-z])i have an? [a-z ]*(?:allergy|intolerance)",
    "我.{0,6}(?:爱|喜欢|讨厌|宁愿|住|来自|长大|出生|工作|上班|生日|过敏|吃素|不吃|不喝|不抽|职业|家在|老家|是)",
    "我(?:平时|一般|通常|每天|每周|每晚|每早|经常|常常|总是|从不|从来不|很少|习惯)",
)  # fmt: skip

_DEGREE = (
    r"(?:really|absolutely|totally|especially|just|also|still|truly|generally|personally|particularly|always|too|do"
    r"|definitely|mostly|mainly|so)"
)
_ADVERB = rf"(?:{_DEGREE}\s+){{0,2}}"
# What an object begins with that points to something said or seen before, or to the listener.
_NOT_GENERAL = (
    r"(?:the|this|that|these|those|it|its|it's|them|him|her|he|she|they|how|when|what|where|who|why|if|you|your|to|an?"
    r"|all|every|everything|anything|something|nothing|one|ones|each|both|some|any|another|such|so|too|very|here|there"
    r"|being|seeing|having|hearing|knowing|looking|chatting|our|his|their|and|or|but|as|about|for|of|much|more|most"
    r"|yours|mine|doing|sharing|thinking|trying|feeling|keeping|catching|i|i'm|we|not|is|was|at|with|in|on|by|best|'em"
    r"|thing|things|stuff)\b"
)
_NATURE = (
    r"the (?:ocean|sea|beach|outdoors|mountains|countryside|city|rain|snow|cold|heat|winter|summer|autumn|theat(?:er"
    r"|re)"
    r"|opera|gym|gym life|woods|forest|desert)\b"
)
_ACTIVITY = r"(?:being (?:around|in|outdoors|outside|my own)|having (?!it|this|that|a\b)[a-z]+ (?:around|for))\b"
_TO_DO = r"to (?!know|hear|see|think|say|help|just|be\b|have\b|get\b|do\b|ask|try|add|go with|start)[a-z]+ (?!it\b)"
_OBJECT = rf"(?:{_NATURE}|{_ACTIVITY}|{_TO_DO}|(?!{_NOT_GENERAL})[a-z])[\w'&/+ -]*?"
_END = r"(?=\s*(?:$|[.!,;:—–(-]|\b(?:and|but|because|'cause|cause|since|so|as|for|especially|when|with|who|which)\b))"
_LIKES = r"(?:love|like|enjoy|adore|hate|dislike|can't stand|cannot stand|do not like|don't like|don't enjoy)"
_LOVE = _regex(rf"(?:i|we)\s+{_ADVERB}{_LIKES}\s+{_OBJECT}{_END}")
_ALWAYS = _regex(
    rf"i(?:'ve| have)\s+(?:always\s+(?:loved|liked|enjoyed|hated|disliked|been into)|been into|loved)\s+{_OBJECT}{_END}"
    r"|i(?:'ve| have) been (?!thinking|looking|trying|feeling|wanting|meaning|waiting|wondering|hoping|there|going"
    r"|having)[a-z]+ing\s+(?!it\b|this\b|that\b|hard\b)[^.!?]*?(?:\bfor\s+(?:about |over |almost |nearly )?"
    r"(?:\w+ )?(?:years|decades)|\bsince (?:i was|\d{4}|childhood))\b[^.!?]*"
)
_PREFER = _regex(
    rf"i\s+(?:{_ADVERB}|usually\s+|normally\s+|much\s+)prefer\s+(?!{_NOT_GENERAL}(?<!the))[\w' -]+?\s+"
    r"(?:to|over|rather than|instead of)\s+(?!(?:me|you|it|my|your|be|have|get)\b|the\s+(?:\w+\s+)?(?:one|option)\b)"
    r"[\w' -]+"
)
_FAN = _regex(
    rf"i(?:'m| am)\s+{_ADVERB}(?:an?\s+(?:big\s+|huge\s+|massive\s+|great\s+)?(?:fan|lover) of|(?:mostly\s+)?into"
    rf"|(?:super\s+)?passionate about|big on)\s+(?:both\s+)?(?!{_NOT_GENERAL})[a-z][\w' -]+"
    rf"|i(?:'m| am)\s+an?\s+(?:big|huge|total|massive|avid|lifelong)\s+(?!fan\b|believer|supporter)[\w' -]*"
    r"(?:fan|lover|reader|gamer|enthusiast|collector|runner|person)\b"
)
_FAVOURITE = _regex(
    r"my (?:all-time |absolute )?fav(?:e|ou?rite)?\s+(?!part|thing|one|ones|moment|memory|time|shot|pic\b|photo|bit"
    r"|of\b)"
    r"(?:[\w-]+\s+){1,4}?(?:is|are|has always been)\s+(?!when|how|that|this|these|those|it\b|probably|to\b)"
    r"[\w\"'“][^.!?]*"
    r"|(?!it|that|this|these|those|they|he|she|which|here|there|who|what|some|one|definitely|we|i\b|you|both|his|her\b"
    r"|seeing|and\b|your|two|all\b)[a-z][\w' :&-]{2,60}?(?:'s|\s+(?:is|are))\s+(?:still\s+|definitely\s+|also\s+)?"
    r"(?:(?:one of\s+)?my (?:all-time |absolute )?fav(?:e|ou?rite)?s?(?:\s+(?!part|moment|memor)[\w-]+){0,3}"
    r"|my (?:biggest |main )?(?:passion|hobby))\W*$"
    r"|(?!it|that|this|these|those|they|he|she|which|what|who|having|seeing|and\b|but\b"
    r"|so\b)[a-z][\w' ,-]{2,60}?\s+helps?\s+me\s+"
    r"(?:to\s+)?(?:relax|unwind|de-?stress|recharge|focus|sleep|calm down|clear my (?:mind|head))\W*$"
)
_HABIT_VERBS = (
    r"(?:go|play|read|watch|cook|bake|run|walk|swim|jog|hike|bike|cycle|drive|fly|travel|eat|drink|have|take|wake"
    r"|get up"
    r"|practi[cs]e|exercise|meditate|commute|work|work out|listen|write|paint|draw|shop|buy|wear|sleep|stay|sit|order"
    r"|pay|book|call|use|smoke|bring|carry|clean|garden|fish|sing|dance|study|train|volunteer|visit|spend|start|make"
    r"|attend|do yoga|do)"
)
_HABIT = _regex(
    rf"(?:i|we)\s+(?:usually|typically|generally|normally|rarely|seldom|often|mostly|regularly|always"
    rf"|never)\s+{_HABIT_VERBS}\s+"
    r"(?!it\b|that\b|this\b|them\b|you\b|so\b|better\b|my best\b)\S.*"
)
_REGULAR = _regex(
    r"(?:i|we)\s+(?:also\s+|try to\s+)?(?!(?:go|do|have|take|watch|play|visit|make)\s+(?:a few|once|twice|every|each))"
    rf"{_HABIT_VERBS}\b(?: and \w+)?[^.!?]*?\b(?:{EACH_TIME})[^.!?]*"
)
_MEANS = _regex(
    r"i\s+(?:also\s+|usually\s+|often\s+)?(?:use|do|play|read|write|paint|draw|run|dance|cook|bake|meditate)\s+(?!it\b"
    r"|this\b|that\b|them\b|my influence)[\w' -]+?\s+to\s+"
    r"(?:relax|unwind|de-?stress|stay|keep|clear my|calm|recharge|focus|express|get around)\b[^.!?]*"
    r"|i\s+(?:also\s+)?play\s+(?:the\s+)?(?:piano|guitar|violin|cello|clarinet|flute|drums|bass|saxophone|trumpet"
    r"|ukulele"
    r"|harp|basketball|football|soccer|tennis|golf|chess|volleyball|hockey|rugby|cricket|badminton|baseball)\b[^.!?]*"
)
_ABSTAIN = _regex(
    r"i\s+(?:do not|don't|never|can't|cannot)\s+(?:eat|drink|smoke|fly|drive|wear|have (?=dairy|gluten|nuts|peanuts"
    r"|meat|sugar))\s*"
    r"(?!it\b|that\b|this\b|them\b|my\b|the\b|any\s?more\b|for granted\b|credit\b|care\b|part\b|long\b)[a-z][^.!?]*"
)
_PLACE = _regex(
    r"i\s+(?:currently\s+|now\s+|still\s+|also\s+)?(?:live|reside)\s+(?:in|near|at|on|close to|outside|with|alone)\s+"
    r"(?!the moment|this|that|fear|a (?:dream|world|nightmare|society))\w[^.!?]*"
    r"|i\s+(?:grew up|was born|was raised)\s+(?:in|on|near|at)\s+(?!this|that|the middle)\w[^.!?]*"
    r"|i(?:'m| am)\s+(?:originally\s+|actually\s+)?(?:from|based in)\s+(?!this|that|here|there|the (?:same"
    r"|future))\w[^.!?]*"
    r"|my (?:home ?town|home country|home) is\s+(?:in\s+)?(?!a\b|where|my|such|so|now|full|the\b|filled)\w[^.!?]*"
)
_OCCUPATIONS = (
    r"(?:accountant|actor|actress|analyst|architect|artist|assistant|attorney|author|baker|banker|barista|bartender"
    r"|biologist|bookkeeper|builder|butcher|buyer|captain|carpenter|cashier|chef|chemist|cleaner|clerk|coach|consultant"
    r"|contractor|cook|coordinator|counsel+or|dancer|dentist|designer|developer|director|doctor|driver|economist|editor"
    r"|electrician|engineer|entrepreneur|farmer|firefighter|fisherman|florist|freelancer|gardener|geologist|guard"
    r"|hairdresser|instructor|inspector|interpreter|janitor|journalist|judge|laborer|landlord|lawyer|lecturer|librarian"
    r"|lifeguard|manager|mathematician|mechanic|midwife|musician|nanny|nurse|officer|painter|paralegal|paramedic"
    r"|pharmacist|photographer|physician|physicist|physiotherapist|pilot|plumber|police officer|producer|professor"
    r"|programmer|psychologist|realtor|receptionist|recruiter|reporter|researcher|retiree|salesperson|scientist"
    r"|secretary"
    r"|seamstress|soldier|stylist|surgeon|surveyor|student|tailor|teacher|technician|therapist|trader|trainer"
    r"|translator"
    r"|tutor|veterinarian|vet|waiter|waitress|welder|writer|counselor|veteran|streamer|gamer|screenwriter)"
)
_JOB = _regex(
    rf"i(?:'m| am)\s+(?:now\s+|currently\s+)?(?:an?|the)\s+(?!(?:big|huge|good|great|bad|terrible|better|real)\b)"
    rf"(?:[a-z-]+\s+){{0,3}}{_OCCUPATIONS}\b(?!'s|\s+of\s+(?:habit|life|my))[^.!?]*"
    r"|i\s+(?:currently\s+|now\s+|also\s+)?work\s+(?:as|for|at|in|with)\s+(?!(?:it|that|this|them|my|the same|you"
    r"|progress|silence|mysterious)\b)\w[^.!?]*"
    r"|i\s+(?:currently\s+|also\s+)?(?:teach|study)\s+(?!(?:it|that|this|them|you|how|for|the|my|me|hard"
    r"|a lot)\b)\w[^.!?]*"
    r"|i(?:'ve| have) been working\s+(?:as|for|at)\s+(?!(?:it|that|this|them|my)\b)\w[^.!?]*"
    r"|i\s+(?:own|run)\s+(?:an?|my own)\s+(?!(?:lot|few|bit|risk|mile|race|marathon|copy|pair|\d))[\w-]+[^.!?]*"
    r"|my (?:job|occupation|profession|day job) is\s+(?!(?:to|so|very|really|tough|hard|great|amazing|my|not|going"
    r"|done)\b)"
    r"\w[^.!?]*"
)
_DATE = _regex(
    r"my (?:birthday|birth date|date of birth|(?:wedding\s+)?anniversary) is\s+(?:on\s+|in\s+)?"
    r"(?!(?:coming|today|tomorrow|soon|next|this|over|my|a|the (?:best|same))\b)[\w\d][^.!?]*"
    r"|i was born (?:on|in)\s+\w[^.!?]*"
)
_ALLERGY = _regex(
    r"i(?:'m| am)\s+(?:also\s+|severely\s+|highly\s+|mildly\s+|very\s+|deathly\s+|really\s+)?allergic to\s+\w[^.!?]*"
    r"|i have an?\s+(?:\w+\s+){1,3}(?:allergy|intolerance)[^.!?]*"
    r"|i(?:'m| am)\s+(?:an?\s+)?(?:strict\s+|lifelong\s+)?(?:vegan|vegetarian|pescatarian|diabetic|coeliac|celiac"
    r"|(?:lactose|gluten)[ -]intolerant)\b[^.!?]*"
)
ENGLISH = (
    *(_LOVE, _ALWAYS, _PREFER, _FAN, _FAVOURITE, _HABIT, _REGULAR, _MEANS, _ABSTAIN, _PLACE, _JOB, _DATE),
    _ALLERGY,
)

# About something else than what holds of oneself: hypothetical, past, wished, of the moment, or pointing elsewhere.
NOT_PLAIN = _regex(
    r"\b(?:if|would|could|might|maybe|perhaps|wish|hope|hopefully|used to|no longer|not any ?more|imagine|pretend"
    r"|supposed to|probably|guess|unless|wonder|hypothetically|thinking of|will|'ll|gonna|going to|want to|about to"
    r"|trying to|you|your|you're|today|tonight|tomorrow|yesterday|tmrw|last (?:night|week|month|year|weekend)"
    r"|next (?:week|month|year|weekend)|this|these|those|here|right now|at the moment|so far|lately|recently|it too"
    r"|haven't|hasn't|until|before i|when i was|as a kid|growing up|if only|joking|kidding)\b"
)
DEICTIC = _regex(
    r"\b(?:it|him|her|that|there|one|ones|they|he|she)\b\s*(?:$|[.!,;])|\b(?:them|that (?!are|is|have|make|tackle"
    r"|let)\w+)\b"
)

_PLAIN_ZH = r"[^，。！？；,!?;\n]{1,40}"
# A part in the matter at hand, as in the answer to "who is speaking?"; a member is told by its record.
_PART_ZH = (
    r"(?:[^，。！？；]*(?:本|收货|收件|寄件|发件|联系|持卡|持有|付款|申请|预订|订票|下单|乘机|入住|当事|新)人"
    r"|[^，。！？；]*会员)$"
)
CHINESE = tuple(map(_regex, (
    rf"我(?:最|很|特别|非常|比较|更|一直)?(?:喜欢|爱|热爱|讨厌|不喜欢|偏爱|宁愿)(?![你您这那它他她的])(?!{_PLAIN_ZH}(?:了|过|这|那))"
    rf"{_PLAIN_ZH}",
    rf"我最(?:喜欢|爱)的{_PLAIN_ZH}?是(?![这那它]){_PLAIN_ZH}",
    rf"我(?:平时|一般|通常|每天|每周|每晚|每天早上|每天晚上|经常|常常|总是|从不|从来不|很少|习惯)(?!{_PLAIN_ZH}[了过])(?![会能想]){_PLAIN_ZH}",
    rf"我(?:现在|目前)?(?:住在|住|家在|来自|老家在|老家是|定居在)(?![这那哪]){_PLAIN_ZH}",
    rf"我(?:是)?在{_PLAIN_ZH}?(?:出生|长大)(?:的)?",
    rf"我是(?!{_PART_ZH}){_PLAIN_ZH}人$",
    rf"我(?:现在|目前)?在(?![这那哪想忙]){_PLAIN_ZH}?(?:工作|上班|任教|教书|上学|读书|读研)",
    rf"我(?:现在|目前)?是(?!{_PART_ZH})(?:一?[名个位])?[^，。！？；这那你他她]{{0,12}}"
    r"(?:师|医生|护士|员|学生|律师|会计|司机|经理|教授|作家|记者|工人"
    r"|农民|警察|厨师|翻译|设计师|老板|编辑|顾问|研究生)",
    rf"我的(?:职业|工作)是(?![这那]){_PLAIN_ZH}",
    rf"我(?:的)?生日(?:是|在)?{_PLAIN_ZH}?(?:\d|[一二三四五六七八九十])+(?:月|日|号){_PLAIN_ZH}?",
    rf"我(?:是)?(?:\d|[一二三四五六七八九十零〇])+年{_PLAIN_ZH}?(?:出生|生)(?:的)?",
    rf"我对{_PLAIN_ZH}过敏",
    rf"我(?:有)?{_PLAIN_ZH}?(?:过敏|不耐受)",
    rf"我(?:从不|从来不|不)(?:吃|喝|抽)(?![了过这那得下饱完到])(?!{_PLAIN_ZH}[了]){_PLAIN_ZH}",
    r"我(?:一直)?(?:吃素|是素食者|是素食主义者)",
)))  # fmt: skip
NOT_PLAIN_CHINESE = _regex(
    r"如果|要是|假如|假设|万一|可能|也许|大概|希望|想要|打算|准备|曾经?|以前|过去|小时候|不再|本来|原来|差点|好像|似乎|恐怕|会不会|今天"
    r"|明天|昨天|今晚|刚才|刚刚|最近|这次|上次|下次|不是|你|您|这|那个|订单|退款|退货|包裹|快递"
)
