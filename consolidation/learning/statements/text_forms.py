"""Words of requests for a text, and of what people say of its draft: how it is to be written, that it was taken or not.

English, German and Chinese. They are looked for only where a text was asked for, and in a reply to it.
"""

import re

from memories.lexicon import words


def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# Kinds of texts by which one is asked for, without a verb only those that are nothing else.
_HOW_OFTEN = r"daily|weekly|monthly|quarterly|annual|yearly|status|progress|sprint|incident|project|board|sales|press"
HOW_OFTEN = _regex(rf"^(?:(?:{_HOW_OFTEN}) )+")
_PERIOD = r"this (?:week|month|quarter|year)'?s"
_TEXT = r"(?:newsletter|release[ -]notes?|minutes|report|reply|press release|summary)"
_NOUN = (
    rf"(?:{_TEXT}|change ?log entry|job (?:ad|advert|posting)|blog ?post|post|announcement|invitation|letter"
    r"|(?:e-?)?mail|answer|response|translation|memo|agenda|brief|speech|notice|article|update|description|offer"
    r"|statement)"
)
_TO = (
    r"^\W*(?:(?:please|pls|hi|hello|hey|ok|now|then|and|can you|could you|would you|i need(?: you to)?|i'd like)[, ]+)*"
)
_WRITE = (
    r"(?:write|draft|do|make|prepare|compose|create|put together|send me|give me|give us|formulate|word|rewrite|edit"
    r"|need|turn (?:this|these|it|that|the notes|my notes) into|let's have)"
)
_A = r"(?:(?:me|us|up|out|a|an|the|this|these|today's|another|one more|our|my|short|quick|brief|new|next|first) )*"
_KIND = rf"(?:(?:{_HOW_OFTEN}|{_PERIOD}) )*"
_NOT_ITSELF = r"\b(?! (?:\w+ ){0,6}(?:is|are|was|were|says|has|shows|button|page|api|server)\b)"
_NOT_OF_CODE = (
    r"(?! (?:request|endpoint|counter|page|button|api|field|table|function|script|class|view|form|generator)\b)"
)
ASKED = (
    _regex(rf"{_TO}{_WRITE} {_A}(?P<kind>{_KIND}{_NOUN})\b{_NOT_OF_CODE}"),
    _regex(rf"{_TO}{_A}(?P<kind>{_KIND}{_TEXT}){_NOT_ITSELF}"),
    _regex(rf"{_TO}{_WRITE} {_A}(?:[\w-]+ ){{1,3}}?(?P<kind>{_NOUN})\b(?=[,:;.]| (?:for|of|to|from|about|on)\b)"),
)
_REPLY = r"(?:to |please |on )*(?:to )?(?:this|these|the following|the|that|her|his|their)\b"
_ANSWERED = _regex(rf"{_TO}(?:answer|reply|respond)\W+(?:please\W+)?(?:{_REPLY}|to\W|[\"“‘'])")
_TRANSLATED = _regex(rf"{_TO}(?:translate|proofread)\b")
_GERMAN_KIND = (
    r"(?P<kind>(?:[a-zäöü]+)?(?:bericht|protokoll|newsletter|rundbrief|brief|mitteilung|einladung|anzeige|ankündigung"
    r"|angebot)"
    r"|antwort|(?:e-?)?mail|zusammenfassung|übersetzung|agenda|tagesordnung|release ?notes|text|beitrag)"
)
ASKED_GERMAN = _regex(
    rf"^\W*(?:(?:bitte|kannst du|könntest du|ich brauche|mach(?:e)?|schreib(?:e)?|verfass(?:e)?|entwirf|erstell(?:e)?"
    rf"|formulier(?:e)?|mir|uns|den|die|das|der|eine?n?|diese[nrs]?|heutige[nrs]?|neue[nrs]?"
    rf"|kurze[nrs]?)[, ]+)*{_GERMAN_KIND}\b(?! (?:ist|sind|hat|war)\b)"
)
BY_VERB = (
    ("reply", _ANSWERED),
    ("translation", _TRANSLATED),
    ("Antwort", _regex(r"^\W*(?:bitte )?(?:beantworte|antworte)\b")),
    ("Übersetzung", _regex(r"^\W*(?:bitte )?(?:übersetz|korrigier)e?\b")),
)
ASKED_CHINESE = re.compile(
    r"^.{0,12}?(?:写|起草|拟|做|出|整理|来|生成|准备).{0,8}?(?P<kind>周报|月报|日报|季报|年报|简报|报告|会议纪要|纪要|公告|通知|新闻稿|邮件"
    r"|回信|推文|文案|总结|发言稿|邀请函|更新说明|发布说明)"
    r"|^.{0,8}?(?P<reply>回复|答复|回信|翻译)"
)
# What a sentence speaks of that tells how such texts are written.
STYLE = _regex(
    r"\b(?:short(?:er|en)?|longer|long|wordy|concise|tighten|cut (?:it|this|that) down|half (?:a|as|the)|one page"
    r"|words|sentences?|lines?|paragraphs?|bullets?|bullet points|list|table|headings?|headline|title|subject(?: line)?"
    r"|figures|numbers?|first|top|bottom|ends?|closes?|starts?|begins?|opening|introduction|summary|spelling|british"
    r"|american|grammar|tone|formal|informal|formally|casual|friendly|friendlier|warmer|polite|neutral|cheerful"
    r"|cheering"
    r"|enthusias\w+|marketing|salesy|hype|adjectives?|jargon|buzzwords?|stock phrases?|filler|clich[eé]s?|fluff"
    r"|grovel\w*|apolog\w+|sorry|plain|simpler|passive|exclamation marks?|emojis?|italics?|bold|dash(?:es)?|commas?"
    r"|tense|abbreviations?|superlatives?|hashtags?|capitals?|(?:at most|max(?:imum)?) \w+ \w+|\w+ at most|never use"
    r"|always|never|avoid|sounds? (?:like|too)|(?:less|more) \w+(?=\W*$)|stiff|literal|the point"
    r"|we (?:use|round|put|start|end)"
    r"|is called|group (?:them|by)|names|greetings?|salutation|sign(?:ed|s)?|sign-?off|signature|date format|dates"
    r"|just the facts"
    r"|(?:never|don't|do not|no|always|only|we|you) (?:say|write|call|record)|instead of|rather than"
    r"|(?:leave out|skip|drop|lose|without|replace) (?:the|all|any|\W|\w+ing))\b"
    r"|\bno [\"“]|\bbelong in\b|\bthe (?:minutes|reports?|repl(?:y|ies)|newsletters?) (?:\w+ )?(?:has|have|must)\b"
    r"|\b(?:länger|kürzer|lang|kurz|knapper|sätze|wörter|absätze|überschrift|betreff|titel|präsens|vergangenheit|immer|nie"
    r"|anrede|gruß|grüße|grußformel"
    r"|ausführlich\w*|fett|kursiv|nachkommastellen|unterschrift|unterschreiben|floskeln?|steif|förmlich|locker\w*"
    r"|einfacher|behörde|ausrufezeichen|emojis?|tabelle"
    r"|liste|stichpunkte|zahlen|oben|unten|zuerst|anfang|anfangen|am ende|ton|duzen|siezen|heißt|sagen|schreiben"
    r"|nennen)\b"
    r"|太长|长一?点|短|精简|字|句|段|标题|感叹号|表情|套话|官话|空话|语气|口语|正式|数据|放在|最前|开头|结尾|落款|署名|称呼|表格|列表|格式|负责人|截止|每[一项条]|先写|不写|不要(?:用|写)|都写"
)
# What concerns this draft alone: what somebody did or felt, what is amiss in it, what is to be told in it.
OF_DRAFT = _regex(
    r"\b(?:i|i'm|i've|i'll|i'd|me|my|you've|you|thanks|thank you|sent|still|again|(?<!from )now|yesterday|tomorrow"
    r"|today|this one|he|she|missing|wrong|incorrect|forgot\w*|typo|misspel\w+|mistakes?|errors?)\b(?!['’]s| format)"
    r"|^(?:good|nice|great|lovely|well done)\b|^(?:add|mention|include|insert|tell|correct|replace|move|swap|it's|its"
    r"|it|they|here|there|those|these|that"
    r"|this|that's|he|she) (?!(?:too|far|way) |.*\b(?:every|all|each)\b)"
    r"|\b(?:ich|mir|du|danke|verschickt|gesendet|fehlt|falsch|vergessen)\b|谢谢|发了|我(?!们)|你|这(?![种样])|那(?![么种样])|错了|漏"
)
# Numbers that belong to a rule, and not to what a text tells: an amount of text, a date, a phone number.
OF_RULE = _regex(
    r"\b\d+[ -](?:words?|sentences?|lines?|pages?|paragraphs?|characters|bullets?|wörter|zeichen|sätze|zeilen"
    r"|seiten?)\b"
    r"|\b\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|märz|mai|okt|dez)\w*|\b(?:jan|feb|mar|apr|may"
    r"|jun"
    r"|jul|aug|sep|oct|nov|dec)\w* \d{1,2}\b|\+?\d[\d ()/-]{6,}\d|\b(?:week|page|point) \d+|第?\d+(?:周|字|句|行|页)"
)
# With these begins what may be a rule, or an order for what stands in this text alone: then it names that.
OF_CONTENT = _regex(r"^(?:leave out|skip|drop|lose|cut|take out|without|put|start|end|begin|close|no)\b")
GERMAN_STOP = words(
    "der die das den dem ein eine wir sie er es ich und bei im am zum zur bitte kein keine nicht nur immer"
)
QUESTION = _regex(r"^(?:can|could|would|will) (?:you|it|this|we) (?:please )?(?P<wish>.+?)\?*$")
MANNERS = _regex(
    r"^(?:(?:and|also|but|so|und|auch|one (?:more )?thing|noch etwas)\b[:, ]*)+(?:(?:please|bitte)\b,? ?)?|^(?:please"
    r"|bitte)\b,? ?"
    r"|,? ?\b(?:please|pls|plz|bitte)\b(?=\W*$|\s*[:;])| ?\b(?:please|pls|bitte)\b|^请"
)
# Of the house as a whole, not of one kind of text: its spelling.
OF_ALL = _regex(r"\bspelling\b|\b(?:british|american) english\b")
_X, _Y = r"[\"“'‘]?(?P<say>[a-z][\w-]{2,})[\"”'’]?", r"[\"“'‘]?(?P<never>(?-i:[a-z])[\w-]{2,})[\"”'’]?"
_NOUN_X, _NOUN_Y = (rf"[\"„“]?(?P<{name}>[a-zäöü][\wäöüß-]{{2,}})[\"“”]?" for name in ("say", "never"))
_SIGNS_X, _SIGNS_Y = (rf"[“\"「]?(?P<{name}>\w{{1,6}}?)[”\"」]?" for name in ("say", "never"))
# Which word the house uses for which other one: "we never say customers, we say members". Each form in full.
WORDING = (
    _regex(
        rf"(?:we )?(?:never|don't|do not) (?:say|write|call them|have|do|use) {_Y}(?: here)?[,;:]? "
        rf"(?:but |only |always |we |just )*(?:say |write |have |use |call them )?{_X}"
    ),
    _regex(rf"(?:(?:they're|they are|we say|we write|say|call them)\W+)?{_X},? (?:and )?not {_Y}"),
    _regex(rf"(?:say|write|use|put) {_X},? (?:instead of|not|rather than) {_Y}"),
    _regex(rf"(?:wir sagen|bei uns heißt (?:es|das)) {_NOUN_X},? (?:und )?nicht {_NOUN_Y}"),
    _regex(rf"(?:wir sagen )?nicht {_NOUN_Y},? sondern {_NOUN_X}"),
    _regex(rf"(?:wir sagen |lieber )?{_NOUN_X} statt {_NOUN_Y}"),
    re.compile(
        rf"(?:我们)?(?:不说|不叫|不写|别说|别写|不用){_SIGNS_Y}[，, ]*(?:而?是|要|我们|应该)*(?:说|叫|写|用){_SIGNS_X}"
    ),
    re.compile(rf"(?:我们)?(?:说|叫|写|用){_SIGNS_X}[，, ]*(?:不说|不叫|不写|别说|别写|不用|不是){_SIGNS_Y}"),
)
SAY = {"en": "say “{}”, not “{}”", "de": "„{}“ statt „{}“", "zh": "说“{}”，不说“{}”"}
LONGER = {"en": "longer", "de": "länger", "zh": "长一点"}
SHORTER = {"en": "shorter", "de": "kürzer", "zh": "短一点"}
NO_EXCLAMATION = {"en": "no exclamation marks", "de": "keine Ausrufezeichen", "zh": "不用感叹号"}
# Wishes that say no more than what they mean, in whatever words: as English, German and Chinese.
BARE = (
    (
        LONGER,
        _regex(
            r"(?=.*(?:longer|too short|länger|zu kurz))(?:(?:a|bit|much|far|too|it|it's|this|is|make|can|could|you|be"
            r"|little|longer|short|noch|etwas|viel|zu|das|ist|es|darf|kann|länger|kurz|sein)\b\W*)+"
            r"|(?:还是?|有点|太短|再|可以|写?长|一?点|了|些|\W)+"
        ),
    ),
    (
        SHORTER,
        _regex(
            r"(?:(?:way|much|far|a|bit|it|it's|its|that's|this|is|make|cut|tighten|can|could|you|be|little|too|long"
            r"|wordy"
            r"|shorter|short|down|concise|more|up|half|as|das|geht|ist|es|noch|etwas|viel|deutlich|zu|lang"
            r"|kürzer)\b\W*)+"
            r"|(?:还是?|有点长|太长|有点|再|写?短|精简|一?点|了|些|\W)+"
        ),
    ),
    (
        NO_EXCLAMATION,
        _regex(
            r"(?:(?:no|without|the|lose|drop|any|out|we|don't|use|them|ever|exclamation|marks?|ohne|keine|raus|das"
            r"|wirkt"
            r"|unruhig|ausrufezeichen)\b\W*)+|(?:周报|报告|里|不要|不用|用|去掉|别|感叹号|\W)+"
        ),
    ),
    (
        {"en": "write in British spelling", "de": "in britischer Schreibweise", "zh": "用英式拼写"},
        _regex(r"(?:(?:in|use|to|british|uk|english|spelling|only|we|write)\b\W*)+"),
    ),
    (
        {"en": "write in American spelling", "de": "in amerikanischer Schreibweise", "zh": "用美式拼写"},
        _regex(r"(?:(?:in|use|to|american|us|english|spelling|only|we|write)\b\W*)+"),
    ),
)
# A draft that was taken as it is or with small changes; one that was not.
_PRAISE = (
    r"(?:perfect|great|lovely|good|nice(?: one)?|thanks|thank you|ok(?:ay)?|fine|super|brilliant|works for me|cool|yes"
    r"|excellent|wonderful|danke|passt|prima|perfekt|klasse)"
)
_SENT = (
    r"(?:i(?:'ve|'ll| have)? )?(?:just |already )?(?:sent|mailed|posted|published|forwarded|printed|filed|send|use)"
    r"(?: (?:it|this|that))?(?: (?:as (?:it )?is|like (?:this|that)|out|off|on|to (?:the|our|all|him|her|them"
    r"|everyone)\b.*))?"
)
TAKEN = _regex(
    rf"^(?:\W*{_PRAISE}\b){{0,5}}\W*(?:{_SENT}\W*(?:thanks|thank you|danke)?\W*$"
    r"|(?:it(?:'s| is)?|this)?\W*(?:went out|goes out|is out|going out|out|good to go)\b(?! of)"
    r"|that(?:'s| is) (?:it|the one|how (?:i|we) \w+|what (?:i|we) \w+|fine|good|great|perfect)\b(?! to)|love it\b"
    r"|(?:much )?better(?: now)?\W*(?:thanks)?\W*$|(?:that|this|it)?\W*(?:works|reads well)\b|close enough\b"
    r"|(?:that|this|it)?\W*looks (?:good|great|right|fine)\b)"
    r"|\b(?:this is|that's) what (?:went out|i sent)\b|\bthe version that went out\b|\bfinal version\b|(?:^"
    r"|, )sent this\b"
    r"|^\W*(?:(?:perfect|great|lovely|brilliant|excellent|wonderful|super|nice)\b\W*)+(?:thanks|thank you|danke)?\W*$"
    r"|^👍"
    r"|\b(?:ist raus|ist verschickt|so (?:verschickt|rausgeschickt|abgeschickt)|(?:ging|geht) (?:es|das|er"
    r"|sie) (?:so )?raus"
    r"|so (?:ist es|passt es|ist's) gut|kann (?:es|das|so) (?:so )?raus"
    r"|hab(?:e)? (?:ich )?(?:es )?(?:so )?verschickt)\b"
    r"|^\W*(?:genau so|passt)\b"
    r"|^(?:可以|好的?|行|不错|就这样|完美|很好|谢谢)?[，,。 ]*(?:就这样|就用这[版个])?[，,。 ]*"
    r"(?:已经|都)?(?:发(?:出去)?了|定稿了)"
    r"|^(?:就用这|这)版(?:可以)?|最终版|^(?:不错|很好|可以|完美|挺好)[，,。！ ]*(?:谢谢)?[。！]*$"
)
LEFT = _regex(
    r"\bi(?:'ll| will|'d rather|'ve| have|'m)? (?:just |now |end(?:ed)? up )?(?:re)?(?:writ\w+|wrote|do|did|doing)"
    r"(?: it| this| that| the whole thing| this one)?(?: all)? (?:myself|from scratch)\b|\bi rewrote (?:it"
    r"|everything)\b"
    r"|\bhad to (?:re)?(?:write|do) (?:it|everything|the whole)\b|\bcould(?:n't| not) use (?:it|any)\b|^forget it\b"
    r"|\b(?:schreib|mach)\S* (?:es |das |ihn |sie )?(?:lieber |dann |doch )*selbst\b|\bselbst (?:geschrieben|gemacht)\b"
    r"|^vergiss es\b|我(?:自己|来)(?:重)?[写改]|算了|重写了"
)
