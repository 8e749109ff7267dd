"""Forms of sentences by which a user says that what was just done worked or did not; read by outcome_statements.py.

English and Chinese, the plainest German and Spanish words; of services, releases and answers result_forms.py.
"""

import re

_IT = (
    r"(?:it|that|this|everything|the (?:fix|change|patch|update|script|build|test)s?"
    r"|your (?:fix|change|patch)(?:es|s)?)"
)
_END = r"(?=\s*(?:$|[,;:!.)]|now\b|again\b|perfectly\b|great\b|fine\b|well\b|nicely\b|like a charm|as expected|thank))"
_CHEERS = r"(?:(?:yes|yep|yeah|great|perfect|nice|awesome|thanks|ok|okay)[,!. ]+)?"
_FAULT = r"(?:problem|issue|bug|error|crash|warning|leak|glitch|timeout|exception|failure)"
WORKED = re.compile(
    rf"\b{_IT} (?:now |all |both )*"
    r"(?:worked|did the trick|(?:has )?(?:fixed|solved|resolved) (?:it|that|this|the|my)\b)"
    rf"|\b(?:it|everything|the (?:fix|change|patch|script)|your (?:fix|change|patch)) (?:now |all )*works?{_END}"
    rf"|\b(?:that|this) (?:now works|works (?:now|perfectly|great|like a charm|as expected))\b"
    rf"|\b{_IT}(?:'s| is| are) (?:now |all )*(?:working|fixed|solved|resolved)\b"
    rf"|\b{_FAULT}s? (?:(?:is|are|has been|was|got) )?(?:now )?(?:solved|fixed|resolved|gone)\b"
    rf"|\bno more (?:\w+ ){{0,2}}{_FAULT}(?:e?s)?\b|\bworks\b.{{0,25}}\bnow[.! ]*$|\bworked first (?:try|time)\b"
    rf"|\bworks again\b|^works[.! ]*$"
    r"|\b(?:is|are) (?:running|working|loading|showing) (?:correctly|fine|again|properly)\b|\brunning fine now\b"
    r"|\bclosing (?:the|this) (?:ticket|issue)\b|\baccepting this\b"
    r"|^(?:reviewed and |tested and )?(?:approved|solved)\b|\bapproved[.!]*$|\ball \d+ (?:\w+ )?tests pass\b"
    r"|\bmerged (?:(?:it )?(?:into|to|in|tonight)\b|👍)|\b(?:patch|pr|change) (?:was|got) (?:accepted|merged)\b"
    r"|\b(?:all|the) (?:the )?tests (?:now |all )*(?:pass|passed|are passing|are green)\b"
    r"|\b(?:tests|build|ci|pipeline) (?:now )?(?:passes|passed|is green|are green|is passing|succeeds|succeeded)\b"
    rf"|^{_CHEERS}works (?:now|perfectly|great|like a charm|as expected|on my (?:machine|side|end))\b"
    r"|^(?:thanks|thank you|great|awesome|perfect|nice|yes)[,! ]+works[.! ]*$"
    rf"|\bthat (?:did|does|fixes|solves) it\b|^{_CHEERS}(?:lgtm|all green|tests pass|(?:merged|shipped)(?:[,.!]|$))"
    r"|^(?:problem|issue|bug) (?:solved|fixed|resolved)\b"
    r"|^(?:confirmed|verified)[,: ]+(?:fixed|working|works|solved)\b"
    r"|\ball (?:good|green|fixed) now\b|\b(?:merged|deployed|shipped)[, ]+(?:and )?(?:all good|all green|it works)\b"
    r"|\bship it\b",
    re.IGNORECASE,
)
FAILED = re.compile(
    rf"\b{_IT} (?:still |just )?(?:(?:does|did|do)(?:n't| not)|won't|will not) (?:seem to |quite |actually |really )?"
    r"(?:work|help|fix|solve|compile|build|run|pass|start)\b"
    rf"|\b{_IT}(?:'s| is| are)(?:n't| not| still not) (?:really |quite )?(?:working|fixed|solved|resolved)\b"
    rf"|\b{_IT}(?:'s| is| are) still (?:broken|failing|wrong)\b"
    rf"|(?<!i'm )(?<!i am )(?<!we're )(?<!we are )\bstill\b (?!not sure|need|want|wait|on time).{{0,40}}(?<![\w'])"
    r"(?:broken|fail\w*|crash\w*|wrong|red|empty|disabled|missing|"
    rf"null|blank|unchanged|gr[ae]y|the same|duplicated?|slow"
    rf"|stuck|behind|hang\w*|throw\w*|(?:not|\w+n't) (?:work|fix|show|appear|load|start|there|visible)\w*|{_FAULT}s?"
    rf"|[45]\d\d)\b|\b{_FAULT} (?:is |message is )?still there\b"
    r"|\bstill (?:get|gets|getting|see|seeing|have|having|shows|throws|gives)\b.{0,20}"
    r"\b(?:same|error|exception|problem|issue|bug|failure|warning)"
    r"|\b(?:exactly )?(?:the )?same (?:error|exception|problem|issue|failure)(?: again| as before)?\s*(?:$|[,;:!.])"
    rf"|\b{_IT} (?:now )?(?:fails|failed|broke|crashed|crashes|made it worse|made things worse)\b"
    r"|^(?:(?:no|nope|nah|hm+|sorry|unfortunately)[,.! ]+)?(?:does(?:n't| not)|did(?:n't| not)) (?:work|help|compile)\b"
    r"|^(?:still )?not (?:working|fixed)\b|^still (?:nothing|the same)\b|\bdoes (?:absolutely )?nothing\b"
    r"|\bit(?:'s| is) still (?:not|the old)\b"
    r"|\bit still (?:does(?:n't| not)|is(?:n't| not)|shows?|says|returns?|throws?|gives?|crashes|hangs)\b"
    r"|\bi still (?:can't|cannot) (?:log|open|see|use|access|connect|reach|download|find|run|build|start)\b"
    r"|^same (?:thing|result|story|problem)\b|\bexactly (?:like|as) (?:it was |it did )?before\b"
    r"|\bnothing (?:has )?changed\b"
    r"|\bi (?:don't|do not|can't|cannot) see (?:any|the|your)(?: of (?:the|your))? changes?\b"
    r"|\b(?:after|since) your (?:last |latest )?(?:change|edit|fix|commit|patch|update)s?\b.{0,120}"
    r"(?:\bnot\b|n't\b|\bnever\b|fail|error|exception|crash|\bbroken\b|\bgone\b|\bempty\b|\bmissing\b)"
    r"|\b(?:totals?|numbers?|amounts?|dates?|sums?|names?|figures?) (?:in the \w+ )?(?:is|are) (?:all |still )?"
    r"(?:wrong|incorrect|off)\b|\bwrong (?:file|day|date|row|column|person|address|place|customer|account|branch)\b"
    r"|\byou (?:overwrote|deleted (?:my|the|our))\b|\b(?:reverted|rolled back|had to revert) your\b"
    r"|\b(?:that|this|it)(?:'s| is) (?:not|no) (?:a fix|done|right|correct|fixed)\b(?! that)"
    r"|\b(?:this|that) (?:isn't right|is incorrect)\b|\bit (?:was|got) rejected\b"
    r"|\b(?:fails|failed) (?:halfway|again|at step)\b|\bcannot reproduce your\b|\bi get \d+ failures?\b"
    r"|^(?:segfault|traceback|[a-z]+(?:error|exception):)"
    r"|\b(?:it|this|that) (?:now )?(?:throws|hangs|breaks|panics|times out)\b(?! my)"
    r"|\bnow (?:i get|i'm getting|it gives|it throws|there(?:'s| is)) (?:an? |the )?(?:\w+ ){0,2}"
    r"\w*(?:error|exception|[45]\d\d\b)"
    r"|\bgot this (?:after|with) your (?:change|fix|patch)\b"
    r"|\b(?:tests?|specs|checks?|builds?) (?:(?:are|is) )?(?:(?:now|still|again) (?:fail|red|broken)\w*"
    r"|(?:fails?|failed|failing|red|broken) (?:now|again|in ci)\b)"
    r"|\bit(?:'s| is) (?:even |now )*worse\b|\b(?:did(?:n't| not)|does(?:n't| not)) (?:change anything|do it|help)\b"
    r"|^(?:no|nope|nah)[,.! ]+(?:that|it|this|the \w+)\b.{0,40}\b(?:wrong|null|same|fails?|broken|nothing)\b"
    r"|^(?:please )?(?:revert|roll back) (?:this|that|it|your)\b|^wrong (?:result|output|answer)\b"
    r"|^(?:and )?please (?:correct|redo|mend) (?:it|that|this|these|those|both|them)"
    r"(?=\s*(?:[.!,;]|$|and\b|again\b|now\b))"
    r"|^(?:(?:(?:ok(?:ay)?|all right|fine|well)[,. ]+(?:then )?(?:please )?|then please )(?:remember|keep)"
    r"|(?:(?:ok(?:ay)?|all right|fine|well)[,. ]+)?(?:then )?(?:please )?think of)"
    r" (?:it|that|this)(?: in mind)? (?:for )?(?:the )?next time(?=\s*(?:[.!]|$))"
    r"|\bthe (?:output|result|answer|value)s? (?:is|are) (?:still )?(?:wrong|incorrect)\b"
    r"|\b(?:ci|the pipeline)(?:'s| is) (?:now |still )?(?:red|failing|broken)\b"
    r"|\b(?:ci|the pipeline) (?:now )?(?:fails|failed)\b"
    r"|\byou broke\b|\bno luck\b"
    r"|\b(?:problem|issue|bug|error) (?:persists|remains|is still there|came back|is back)\b"
    r"|\bthat(?:'s| is| was) (?:wrong|not right|incorrect|not what i (?:asked|wanted|meant|need))",
    re.IGNORECASE,
)
QUESTION_FORMS = re.compile(
    r"^(?:does|did|is|are|do|has|have|can|could|would|will|why|how|what|when|where|which|who)\b(?! not\b)"
    r"|\b(?:hope|should|would|could|might|whether|make sure|ensure|wonder|maybe|perhaps|probably|used to|says?|said)\b",
    re.IGNORECASE,
)
OPEN = re.compile(
    r"\b(?:if|when|once|until|unless|so that|before|yesterday|last (?:week|time|month)|check|verify|confirm|test that|"
    r"see that|please|may|can|want|need|think|how|why|what|assume|because|not)\b|n't\b",
    re.IGNORECASE,
)
QUALIFIED = re.compile(
    r"\b(?:if|once|when|until|unless|please|can you|could you|not|never|doubt|unsure|hardly)\b|(?<!ca)n't\b",
    re.IGNORECASE,
)
BUT = re.compile(
    r"\b(?:but|however|except|although|though|almost|partly|partially|mostly|go ahead|please proceed)\b"
    r"|但|不过|可是|除了|部分",
    re.IGNORECASE,
)
WORKED_CHINESE = re.compile(
    r"(?:可以用|能用|可以|修好|解决|搞定|跑通|正常|没问题|起作用|生效|成功|好使|没有问题)了"
    r"|(?:测试|构建|编译|流水线|检查).{0,4}(?:都|全|全部)?(?:通过|过|成功)了|问题(?:已经|都|已)?(?:解决|修复|没)了"
    r"|修复成功"
    r"|^(?:好的?[，, ]?)?搞定[。！!]*$|^好使|^好了[，, ]*谢谢"
    r"|已经?(?:合并|合入|上线|发布)(?:了|到)?.{0,8}(?:$|[，,。！!])"
    r"|^(?:嗯 ?)?搞定[，,]|能正常.{0,8}了|已验收|验收通过|(?:全部|都)对(?:得)?上了?(?:$|[，,。])"
    r"|合并?了[。！!]*$|合并了[，, ]*谢谢|(?:测试|构建|流水线|CI)\s?(?:都|全|全部)?(?:过了|绿了|绿$)"
)
FAILED_CHINESE = re.compile(
    r"(?:还是|仍然|依然|仍旧|依旧|还)(?:不行|不能|不对|没用|没有用|报错|失败|出错|有问题|有错|崩溃|不工作|不起作用|没解决|"
    r"没有解决|没修好|没好|跑不通)|(?:没|没有|未|还没)(?:解决|修好|修复|生效|起作用)|不管用|不起作用"
    r"|(?:一样|同样|相同)的(?:错误|报错|问题)|又(?:报错|失败|出错|崩溃)了?"
    r"|^(?:这个|那个|它)?(?:不行|没用)[，。！!,. ]*$|^(?:不行|不对|错了)[，, ]|^没有?(?:效果|变化|反应)"
    r"|还是(?:空的?|一样|老样子|原样|.{0,6}(?:不了|不到|不上|不开|不出来|不起来|没反应))"
    r"|^(?:跑|启动|编译|打)不(?:起来|了|开|过)"
    r"|改(?:了|完)?之?后.{0,10}(?:不了|报错|失败|挂了|不行|打不开|崩)|你.{0,8}改(?:坏|错|崩)了|又(?:挂|崩|坏)了|^回滚"
    r"|(?:测试|构建|编译|流水线|线上|CI)\s?(?:又|也|都|全)?(?:挂了|不过|没过|失败了?|报错|红了|崩了)"
    r"|(?:写|填|算|弄|搞)错了|白屏|^没用[，, ]|(?:连|登|打|看|点|跑)不(?:上|了|开|到|动|起来)了?(?:$|[，,。！!])"
    r"|退回来了"
    r"|你把.{0,10}(?:删|弄没)了|(?:结果|输出|数据)(?:还是)?(?:不对|错了|有误)|^报错"
    r"|^现在又?报.{0,20}(?:错|Error|Exception)"
)
OPEN_CHINESE = re.compile(
    r"吗|呢|的话|[如若]果|要是|是否|有没有|能不能|会不会|希望|应该|请|确保|直到|等|以前|之前|昨天|怎么|为什么|帮"
    r"|需要|想|可能"
    r"|就(?:可以|好|行)了"
)
WORKED_GERMAN_SPANISH = re.compile(
    r"\b(?:läuft|funktioniert|geht|klappt) (?:jetzt|wieder|nun|einwandfrei)\b"
    r"|\bjetzt (?:funktioniert|geht|läuft|klappt)\b"
    r"|^(?:\w+, )?läuft[,.! ]*(?:danke)?|\b(?:fehler|problem) (?:ist )?(?:weg|behoben|gelöst)\b"
    r"|\balles (?:korrekt|richtig|grün)\b"
    r"|\bgemergt\b|\bfehlerfrei\b|\btests (?:sind )?grün\b|\bya funciona\b|\bfunciona (?:bien|perfecto|ahora)\b"
    r"|\b(?:resuelto|arreglado)\b",
    re.IGNORECASE,
)
FAILED_GERMAN_SPANISH = re.compile(
    r"\b(?:geht|funktioniert|läuft|klappt|startet) (?:\w+ ){0,3}nicht\b"
    r"|\bimmer noch\b.{0,20}\b(?:nicht|leer|kaputt|falsch|fehler)"
    r"|\bkaputt\b|^falsch\b|\bstimm(?:t|en) nicht\b|\bseit deiner (?:änderung|anpassung)\b"
    r"|\bhat sich nichts geändert\b"
    r"|\b(?:derselbe|der gleiche) fehler\b|\bno funciona\b|\bsigue (?:sin|fallando|igual)\b|\bestá mal\b"
    r"|\bmismo error\b",
    re.IGNORECASE,
)
OPEN_GERMAN_SPANISH = re.compile(r"\b(?:wenn|falls|ob|bitte|kannst|könntest|soll|sobald|si|cuando)\b", re.IGNORECASE)

# What others said of the work: "the warehouse says that ...", "Marta tells me ..."; no paper, page or earlier agent.
_NO_TELLER = (
    r"(?:web ?sites?|pages?|errors?|polic(?:y|ies)|manuals?|docs?|documentation|systems?|logs?|messages?|e-?mails?"
    r"|letters?|labels?|readme|code|apps?|screens?|terms|outputs?|tools?|results?|tests?|contract|report|previous|last"
    r"|other|agents?|assistants?|representatives?)\b"
)
TELLING = re.compile(
    r"(?i:(?:well|hm+|so|but|and|now|sorry|unfortunately|ok(?:ay)?)\b[,. ]+)?"
    rf"(?:(?i:the|our) (?i:(?!{_NO_TELLER})[a-z-]+ ){{1,2}}|(?!(?:It|This|That|There|I|You|We|My|An?|The|Our)\b"
    r"|Wh|Every|No|Some|Any)[A-Z][\w-]+ (?:[A-Z][\w-]+ )?|(?i:he|she|they) )"
    r"(?i:(?:just |now |also )?(?:(?:called|phoned|wrote)(?: back)? and )?(?:says?|said|tells? (?:me|us)|told (?:me|us)"
    r"|reports?|reported|complains?|complained|writes|wrote|repl(?:ies|ied)|confirm(?:s|ed))(?: back)?[,:]? (?:that )?)"
)
TELLING_CHINESE = re.compile(r"^[^，。说吗]{1,6}(?:说|告诉我们?|反馈|回复|反映)[，,：: ]?")
_THING = r"^(?!(?:he|she|i|we|they|you)\b)(?:(?!\b(?:old|current|previous|existing|former)\b).){0,60}"
TOLD_ILL = re.compile(
    rf"{_THING}\b(?:(?:has|have|shows?|lists?|reads|contains|gives) (?:\w+ )?the (?:old|wrong|former|previous) \w+"
    r"|(?:(?:goes|went|sent) to the wrong|still (?:goes|went|points) to the (?:old|wrong|former|previous)) \w+"
    r"|(?:is|are) (?:still |all )?(?:wrong|incorrect|not (?:right|correct|in order))\b)",
    re.IGNORECASE,
)
TOLD_WELL = re.compile(
    r"^(?:(?:many )?(?:thanks|thank you|thx)\W+)?(?:the |our |her |his |their )?(?:[\w-]+ ){1,3}(?:is|are|looks?) "
    r"(?:(?:now |all )*(?:right|correct|in order)|(?:fine|good|okay|ok) now)(?: now)?\W*(?:$|and\b|thank)"
    r"|^(?:many )?(?:thanks|thank you|thx)\b.{0,40}\b(?:arrived|(?:has|have) come|came through|worked)\b",
    re.IGNORECASE,
)
WISHED = re.compile(r"\b(?:wants?|wanted|needs?|would like|ordered|asks?|asked|instead|new one)\b", re.IGNORECASE)

# The same in German, whose verbs stand at the end after "dass".
_NO_TELLER_GERMAN = (
    r"(?:web)?(?:seite|fehlermeldung|meldung|anleitung|richtlinie|handbuch|doku\w*|system|log|protokoll|e-?mail|brief"
    r"|etikett|code|app|ausgabe|tool|werkzeug|ergebnis|test|vertrag|bericht|agent|assistent|vertreter)\w*\b"
)
TELLING_GERMAN = re.compile(
    r"(?i:(?:na ja|hm+|also|aber|und|jetzt|leider|ok(?:ay)?)\b[,. ]+)?"
    rf"(?:(?i:der|die|das|unsere?|eine?) (?:[a-zäöüß]+ )?(?i:(?!{_NO_TELLER_GERMAN})[\wäöüß-]+) "
    r"|(?!(?:Der|Die|Das|Unsere?|Eine?|Es|Ich|Wir|Du|Man|Niemand|Keiner|Wer|Was)\b)[A-ZÄÖÜ][\w-]+ (?:[A-ZÄÖÜ][\w-]+ )?"
    r"|(?i:er|sie) )"
    r"(?i:(?:gerade |jetzt |auch )?(?:(?:hat |haben )?(?:angerufen|geschrieben|gesagt|gemeldet|mitgeteilt)"
    r"|sag(?:t|en|te|ten)|schreib(?:t|en)|schrieb(?:en)?|meld(?:et|en|ete|eten)|mein(?:t|en|te|ten)|bericht(?:et|en|ete)"
    r"|beschwer(?:t|en|te) sich|rief(?:en)? an)(?: (?:mir|uns))?[,:]? (?:dass )?)"
)
_STANDS = (
    r"(?:steh(?:t|en)|zeig(?:t|en)|enthält|enthalten|nenn(?:t|en)|hat|haben|ging(?:en)?|geh(?:t|en)|gilt|druckt|"
    r"hinterlegt ist|eingetragen ist|gedruckt ist)"
)
TOLD_ILL_GERMAN = re.compile(
    r"^(?!(?:er|sie|ich|wir|ihr|du|man)\b)(?:"
    rf".{{0,60}}\b{_STANDS}\b.{{0,40}}(?:\bnoch\b.{{0,30}}\balte[nmrs]?\b|\b(?:der|die|das|den|dem) falsche[nmrs]?\b)"
    rf"|.{{0,60}}(?:\bnoch\b.{{0,30}}\balte[nmrs]?\b|\b(?:der|die|das|den|dem) falsche[nmrs]?\b).{{0,40}}\b{_STANDS}\b"
    r"|(?!.{0,60}\b(?:alte|bisherige|vorige|frühere)[nmrs]?\b).{0,60}\b(?:(?:ist|sind)\b.{0,20}\b"
    r"(?:falsch|nicht (?:richtig|korrekt|in ordnung))|(?:falsch|nicht (?:richtig|korrekt|in ordnung)) (?:ist|sind)"
    r"|nicht stimm(?:t|en))\b)",
    re.IGNORECASE,
)
WISHED_GERMAN = re.compile(
    r"\b(?:möchten?|wollen|will|wünsch\w*|brauch(?:t|en)|hätten? gern\w*|bestellt\w*|stattdessen|bitte[nt]?)\b",
    re.IGNORECASE,
)

# By what they say, each in all languages: a language more is read when its forms stand here.
APPROVALS = (WORKED, WORKED_CHINESE, WORKED_GERMAN_SPANISH)
REJECTIONS = (FAILED, FAILED_CHINESE, FAILED_GERMAN_SPANISH)
UNDECIDED = (QUESTION_FORMS, OPEN_CHINESE, OPEN_GERMAN_SPANISH)  # a question, a condition or a wish
TELLERS = (TELLING, TELLING_CHINESE, TELLING_GERMAN)
WISHES = (WISHED, WISHED_GERMAN)
COMPLAINTS = (TOLD_ILL, TOLD_ILL_GERMAN)
