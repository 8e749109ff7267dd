"""Forms of sentences by which a user says that a service, an alert or a release is well again or out, or not, and by
which they accept an answer (a figure, a text, a booking) or refuse it."""

import re

_ALERT = r"(?:alert|alarm|page|pager|pagerduty|incident|monitor|warning)s?"
_ERRORS = (
    r"(?:\w+ )?(?:[45]\d\ds?|errors?|timeouts?|alerts?|pages|oom(?: kills)?|crashes|restarts|complaints|exceptions)"
)
_THING = r"(?:it|that|this|they|(?:the |our |all )?(?:[\w./:-]+ ){0,3}[\w./:-]+)"
_STATE = (
    r"(?:back(?: up| online| to normal)?(?! (?:in|on|at|to|from|then)\b)|live|healthy|green|up (?:again|and running)"
    r"|published|released|deployed|recovered|restored|caught up|drained|at zero|reachable|in prod(?:uction)?)"
)
_HERE = r"(?:\W*$|[,;!.]| and\b| (?:in|on|for) (?:prod|production|staging|the|me|us|all|every\w*)\b)"
_RELEASE = r"(?:it|that|this|the (?:release|version|package|fix|hotfix|patch|build)|v?\d+(?:\.\d+)+)"
_IS = r"(?:'s| is| are)"
_ARRIVED = (
    r"(?:(?:is|are) (?:now |all )*(?:there|here|in place|booked|updated|corrected|complete)|arrived|went out"
    r"|came (?:in|through)|(?:has|have) (?:it|them|everything|the (?:new|right|correct) \w+)(?: now)?)"
)
_AMISS = "wrong|other|old|broken|damaged|late|missing|twice|incomplete|only|half|empty"
_GLAD = r"(?:many thanks|thank you|thanks|thx|cheers|perfect|well done|much appreciated)[\w ]{0,20}"
_A_THING = rf"(?:the |our |your )?(?!(?:i|you|we|they)\b)(?:(?!(?:no|nothing|{_AMISS})\b)[\w-]+ ){{1,3}}"
WELL = re.compile(
    rf"\b{_ALERT} (?:has |have |is |are |just |now |all |also )*(?:auto-?)?(?:cleared|resolved|stopped|quiet|gone"
    r"|recovered)\b"
    rf"|(?<!want )(?<!need )(?<!so )\b(?:no more|no new|not a single"
    rf"|zero) {_ERRORS} (?:since|anymore|any more|now|after)\b"
    rf"|^(?:[\w' ]+[,!.]+ )*(?:and )?no more {_ERRORS}\b"
    rf"|^(?:\w+[,!]+ )*(?:its|thats|{_THING}{_IS}) (?:now |all "
    rf"|finally )?{_STATE}(?: now| again| already| everywhere)?{_HERE}"
    rf"|^(?:\w+[,!]+ )*(?:{_RELEASE}(?:'s| is) (?:now |finally )?out"
    rf"|(?:the )?(?:\w+ )?(?:queue|backlog) is empty){_HERE}"
    rf"|^(?:\w+[,!]+ )*{_THING} (?:came|went|got) back (?:up|online|to (?:normal|baseline|zero))\b"
    rf"|(?:{_IS}|been|went|came|all|now) (?:back to (?:normal|baseline|green)|back in business|up and running)\b"
    rf"|\ball (?:\d+ )?(?:pods|nodes|replicas|probes|checks) (?:are )?(?:ready|running|green|healthy|up|ok)\b"
    r"|\b(?:lag|latency|p\d\d|rate|cpu|load|queue|disk|memory|usage|depth|backlog) (?:\w+ )?"
    r"(?:dropped|fell|went down|is down)\b"
    r"|^(?:\w+[,!]+ )*(?:i|we|they|everyone|customers|users) can (?:log in|connect|install|download|pull|reach|open)\b"
    r".{0,20}\b(?:again|now)\b"
    rf"|\b(?:tag|release|version|artifact|image|package|chart|changelog|notes)s?(?:{_IS} (?:all )?(?:there|correct|good"
    r"|in place)| looks? (?:right|good|correct|fine))\b"
    r"|^(?:\w+[,!]+ )*(?:sorted|resolved|recovered|cleared"
    r"|unblocked|published|released)\b[,.! ]*(?:$|cheers|thanks|thx)"
    r"|\bexactly (?:like|as|what) i asked\b|\b(?:i'm|im|i am|we're) satisfied\b|\bcall (?:this|it) done\b"
    r"|\binstall(?:s|ed) fine\b|\b(?:serv|runn)ing the new \w+"
    rf"|^(?:\w+[,!]+ )*{_A_THING}{_ARRIVED}\b(?:(?!\b(?:{_AMISS})\b).){{0,60}}[,;:.!–-] ?{_GLAD}\W*$",
    re.IGNORECASE,
)
ILL = re.compile(
    r"\bstill (?:being |getting |gets |get )?(?:firing|fires"
    r"|paged?|paging|alerting|alerts|down|locked|leaking|lagging"
    r"|growing|rising|climbing|refus\w+|unreachable|unhealthy|expired|flapping|restarting"
    r"|points? (?:at|to)|serv(?:es|ing) the old|on the old|running the old|[45]\d\ds?)\b"
    r"|(?:'s| is|'s just| is just) (?:now )?(?:firing|going off|back|down|red|failing|broken|flapping|paging|triggered"
    r"|crashloop\w*) again\b|\b(?:fired|went off|paged|alerted|crashed|died|went (?:down|red)) again\b"
    rf"|\b(?:{_ALERT}|it|that|this) (?:came back|dropped|stopped|is back)(?: up)? again\b"
    r"|\bback to square one\b"
    r"|\bwrong (?:host|node|box|cluster|env(?:ironment)?|region"
    r"|queue|bucket|tag|version|release|commit|sha|service|server"
    r"|db|database|image|config|chart|namespace|cert(?:ificate)?|repo)\b"
    r"|\byou (?:\w+ )?(?:purged|silenced|muted|merged|tagged|deployed"
    r"|restarted|rolled back|drained|pushed|published|renewed"
    r"|killed|deleted|wiped)\b.{0,60}\b(?:not|wrong|instead|only|should(?:'ve| have)?|meant|supposed|didn't)\b"
    r"|\b(?:was|were) (?:meant|supposed) to (?:be|go) (?:to |in |on )?(?:[\w.-]*\d[\w.-]*|[\w-]+/[\w.-]+|main|master"
    r"|develop|staging|prod\w*)\b"
    r"|\b(?:has|have) no (?:binaries|artifacts?|notes|assets|tags?|files|changelog|signature)\b"
    r"|\b(?:tag|release|commit|fix|hotfix|patch|package|version"
    r"|image|binar(?:y|ies)|artifacts?|assets?|changelog|notes)s? "
    r"(?:is|are)(?:n't| not|nt) (?:there|in|on|out|up|live|published|visible|included|signed)\b"
    r"|\b(?:tag|release|commit|fix|hotfix|patch|package|version|image|artifact|changelog)s? (?:is|are) missing\b"
    r"|\b(?:page|url|link|endpoint|registry|site|download"
    r"|install)s? (?:\w+ ){0,2}(?:[45]\d\ds|gives? (?:me )?(?:a )?[45]\d\d)\b"
    r"|\b(?:went|going|goes) (?:up|down|worse)\b.{0,12}\bafter\b|\bcan(?:'t"
    r"|not) accept\b|^(?:\w+[,!]+ )*(?:that's |it's )?not good(?=\W*$|[,;!.])"
    r"|\b(?:doesn't|does not) look (?:done|fixed|resolved|right|good)\b|\b(?:fixed|resolved|done)\W+no\b"
    r"|\b(?:returns?|shows?|serves?|points? to|reports?|says?) the (?:old|previous|former) \w+",
    re.IGNORECASE,
)
WELL_CHINESE = re.compile(
    r"(?:告警|报警|警报)(?:已经?|都|也|全)*(?:没再?响|消(?:失|除)?|恢复|停|解除|清)[了掉]?|(?:告警|报警).{0,4}没再"
    r"|(?:恢复|正常|起来|上线|发布|生效|通|降下来|清空|消化完|追平|绿|续上|跑完)了(?!吗|再|就|之?后|的话)"
    r"|没毛病|(?:版本|标签|tag|证书|附件|时间|日期).{0,12}(?:对了|都对|齐的?|没错)|没再(?:重启|出现|报|挂)"
    r"|都 ?(?:ready|running|ok|up)\b|验证通过|已经是新版|回到 ?\d+|降到 ?\d+",
    re.IGNORECASE,
)
ILL_CHINESE = re.compile(
    r"还在(?:报警?|告警|响|涨|掉|挂|重启|抖|跑旧|用旧|[45]\d\d)|还是 ?(?:[45]\d\d"
    r"|旧的?|老版本|之前的|上个版本)|又(?:报警?|告警|响|挂|掉|断|重启|抖|来)了?"
    r"|没(?:起来|好[，,。]|清完|清干净|降|生效|发出去|推上去|打上|同步|恢复)|(?:压根|根本|完全)没"
    r"|(?:合|发|打|改|删|清|重启|推|切|部署|回滚|续|传)错(?:了|分支|机器|环境|版本|库|集群)|问题还在|只是被?静默"
    r"|(?:装|下载|拉|打|登|连)不[了上开下动]|(?:缺|少)(?:了)?(?:文件"
    r"|附件|包|标签|tag)|是上个?(?:版本|一版)的|没看到(?:啊|呢|$)",
    re.IGNORECASE,
)

# How something stands by now, said with thanks: "the shop shows the new price now". Names and things, not who speaks.
_PRAISE = r"(?:thanks|thank you|thx|cheers|great|perfect|good|nice|wonderful|lovely|super|danke|gracias)"
GLAD = re.compile(rf"(?:^|[.!,;:–-]\s*){_PRAISE}\b(?=\W|\s(?:for|a lot|so much|very much|work|job|\w+\W*$))", re.I)
_NOBODY = r"(?!(?:i|you|we|he|she|here|there|what|which|who|nothing|nobody|none|no|only)\b)"
_THANKED = rf"(?:{_PRAISE}[\w ]{{0,12}}[,!.: –-]{{1,3}}){{0,2}}"  # bounded: tried in every way
_THANKS = rf"[,.! ]*(?:{_PRAISE}[\w ]{{0,20}})?[.! ]*$"
_IS_SHOWN = r"(?:'s| is| are| shows?| has| have| looks?| reads?| adds?)"
_OPEN = (
    r"too|down|offline|waiting|nothing|errors?|questions?|about|away|on (?:holiday|leave|vacation)|confused"
    r"|delayed|rejected|needed|agreed|attached|noted|blocked|failed|stopped|interested|worried|puzzled|annoyed"
)
_WHOLE = r"(?:everything|all|it all|all of it)"
SETTLED = re.compile(
    rf"^{_THANKED}{_NOBODY}(?:(?:the|our|your) )?(?:[\w-]+ ){{0,3}}?[\w-]+{_IS_SHOWN} "
    rf"(?:(?!\b(?:not|no|never|only|just|still|{_AMISS}|{_OPEN})\b|n't)[^,;]){{1,50}}"
    rf"(?<!by )(?<!for )(?<!until )(?<!right )\bnow\b{_THANKS}"
    rf"|^{_THANKED}{_WHOLE} (?:is|are) (?:there|in|in place|complete|correct|right)\b{_THANKS}"
    rf"|^{_THANKED}{_NOBODY}(?:[\w-]+ ){{0,3}}[\w-]+(?:'s| is| are) (?:all )?right now\b(?=\W*$| and\b|[,.!])"
    rf"|^{_THANKED}(?:it |that |this |all )?(?:looks? (?:all |very )?good|looking good|all (?:right|good) now)"
    rf"(?: now| to me)?{_THANKS}"
    rf"|^{_PRAISE}[,!:]+ (?:all )?(?!(?:{_OPEN})\b)[a-z]+ed(?:(?:,| and) [a-z]+ed)*\W*$",
    re.IGNORECASE,
)

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
