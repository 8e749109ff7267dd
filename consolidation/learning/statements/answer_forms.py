"""Forms of sentences by which a user accepts an answer (a figure, a text, a booking) or refuses it."""

import re

_A = r"(?:number|figure|total|sum|result|answer|amount|value|list|report)s?"
ACCEPTED = re.compile(
    r"\b(?:that|this|it|which|all|everything|and|now|thanks|great|perfect|yes|yep)\W{1,2}(?:it |that )?(?:now )?"
    r"(?:matches|ties (?:out|to|up)|adds up|checks out|reconciles|agrees with|squares with|lines up)\b(?! no)"
    r"|^(?:ok |great |thanks )?same as (?:(?:in|on) (?:the|our|my)\b(?! (?:last|previous|old))|our\b|what (?:i|we)\b)"
    rf"|\b(?:i|we|also|and) (?:\w+ )?(?:get|got|have|had) the same {_A}\b"
    rf"|\b(?:that's|it's|this is|that is|is|was) (?:exactly )?(?:the (?:right )?{_A}\b|what (?:i|we) (?:had|have"
    r"|got|get|expected|needed|was after|were after)\b)|\bexactly what (?:i|we)\b|\byou were right\b|\bcan't fault\b"
    r"|^(?:\w+,? )?looks (?:right|correct)\b|^spot on\b|^accepted\b|^that'll do\b"
    r"|^(?:great|good|nice) (?:job|work)[.! ]*$|^brilliant\b|^👍|\bto the (?:penny|cent)\b"
    r"|(?:^|, )no (?:notes|comments|complaints|objections)\b(?! yet)"
    r"|(?:^|\b(?:i|and|but|i've) )(?:just |re)?(?:checked|verified|counted)\b.{0,40}"
    r"\b(?:all )?(?:fine|correct|right|good|the same)\b",
    re.IGNORECASE,
)
REFUSED = re.compile(
    r"\b(?:isn't|is not|not|wasn't|aren't) what (?:\w+ ){1,3}(?:has|have|had|got|gets?|shows?|says?|expected|sees?)\b"
    r"|^(?:\w+ )?(?:doesn't|does not|don't) (?:match|add up|reconcile|tally|look right)\b|^still (?:not|off|no)\b"
    rf"|\b(?:that|it|this|{_A}|which|weights|sums) (?:really )?(?:doesn't|does not|don't|do not)"
    r" (?:match|add up|reconcile|tally|look right)\b|\bcan't be right\b|\bway off\b|\boff by\b|\bno good\b|\bnonsense\b"
    r"|^(?:no|nope|hm+|way|much|far)?[,. ]*(?:way |much |far |a bit )?too (?:high|low|many|few)\b"
    r"|^(?:no|nope|hm+)?[,. ]*(?:\w+ doesn't match, )?i (?:get|got|count) (?:only )?[\d.,]+(?:\W*$| not\b| instead\b)"
    r"|\byou(?:'ve| have)? (?:clearly |just |also )?(?:forgot|missed|misspelled|misread|mistyped|mixed up|double[- ]"
    r"counted|left out|overwrote|skipped|stopped halfway|used the wrong|took the wrong|sent it to the wrong)\b"
    r"|\bis missing (?:from|in) (?:your|the list|the report)\b|, i (?:asked for|meant) (?!to\b)|^permission denied\b"
    r"|^(?:the )?\w+ won't (?:open|load|start)\b",
    re.IGNORECASE,
)
ACCEPTED_CHINESE = re.compile(
    r"(?:是|也|都|完全)?一致[的了]?(?:$|[,，。！])|(?:跟|和|与).{2,14}一样[的了]?$|对得上"
    r"|^(?:对的|没错|完美|通过|行)(?:$|[,，。！ ])|确实是"
    r"|很满意|也满意|没问题[,，。!！]|^没问题$|[箱分毫]不差|就(?:按这个|这家)|[ ,，]通过$|赞一个"
)
REFUSED_CHINESE = re.compile(
    r"^(?:这个)?(?:数|金额|结果|单位|口径)?.{0,8}(?:不对|对不上|有问题)(?:$|[,，。！吧])"
    r"|(?:写|抄|拖|定|订|发|看|用|填)错了|漏了|^不是(?:这|我要)|[算数][多少高低]了|太[高低多少]了|没反应"
)
