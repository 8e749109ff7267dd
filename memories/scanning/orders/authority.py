"""Texts that borrow the authority of the user or of an officer of the company."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import CF, CN, FAR, NEAR, NOT

PRINCIPAL = (
    r"(?:\b(?:users?|humans?|owners?|operators?|principals?|customers?|administrators?)\b"
    r"|\bmy own words\b|\b(?:as (?:if|though) )?i had (?:typed|written|said)\b)"
)
SOURCE = (
    r"(?:\b(?:tools?|function|search|browser|api)[ _]?(?:results?|outputs?|responses?|calls?)?\b"
    r"|<?tool_(?:output|result)|\bweb ?pages?\b|\bpages?\b"
    r"|\bdocuments?\b|\bfiles?\b|\b(?:incoming )?e?-?mails?\b|\btickets?\b|\breadmes?\b|\bcalendar\b"
    r"|\bcomments\b|\boutputs?\b|\bpdf\b|\blog files\b"
    r"|\bscreenshots?\b|\bimages?\b|\bservers?\b|\bsub-?agents?\b|\barticles?\b|\bsnippets\b|\bhtml\b"
    r"|\bwebsites?\b|\bthis command\b|\bissues?\b|\bnotes\b|\bscript\b|\bresponses?\b|\bresults\b|\b\w{2,20}\.md\b)"
)
OBEY = (
    rf"(?:\b{NOT}(?:follow(?:ed)?|obey(?:ed)?|carr(?:y|ied) out|execut(?:e|ed)|perform(?:ed)?|act on|do what"
    rf"|binding)\b)"
)
EQUALS = (
    r"(?:\b(?:treat(?:ed)?|regard(?:ed)?|interpret(?:ed)?|consider(?:ed)?|handled?|count(?:s)? as|equals?"
    r"|is to be|are to be|has to be|have to be|as (?:if|though|commands|orders|words)"
    r"|speaks?|same (?:authority|weight|rights|trust|force|standing)|authority|voice of|priority over|take as"
    r"|typed by|written by|wrote|said by|request of|orders? of|orders? from)\b)"
)
SAME = (
    r"(?:\b(?:counts? as|has the (?:rank|force|weight|status) of|have the (?:rank|force|weight|status) of"
    r"|comes? (?:straight |directly )?from the|is the will of|are the will of|spoken by|typed by|typed into the chat"
    r"|same (?:authority|weight|rights|trust|force|standing)|as (?:if|though) (?:it|they|he|she|i|the)|equals?"
    r"|like (?:user|owner|operator) (?:commands|orders|requests)|genuine request)\b)"
)
ORDERS = r"(?:\b(?:instructions?|orders?|commands?|requests?|tasks?|words|prompts?|turn|to-do list|steps)\b)"
TITLE = (
    r"(?:\b(?:ceo|cfo|cto|coo|ciso|cio|chief executive|chief \w{4,11}(?: \w{4,12})? officer|managing director"
    r"|general counsel|president of the company"
    r"|(?:head|director|chief) of (?:security|it|finance|operations|compliance|hr)|(?:it )?security (?:team"
    r"|officer|department|lead|chief)"
    r"|it (?:department|team|lead|manager)|hr (?:department|leadership|team)|compliance (?:team|officer"
    r"|department)|audit committee|legal department"
    r"|data protection officer|(?:executive )?board(?: of directors)?|chairman|chairwoman|(?:company |senior "
    r"|upper )?management|vice president|vp of \w{2,12}"
    r"|founder|owner of (?:this|the) company|compliance|headquarters|head office|system administrators?"
    r"|admin team)\b)"
)
DEMAND = (
    r"(?:\b(?:orders?|demands?|commands?|requires?|needs?|instructs?|tells?|insists?|decree|has (?:asked"
    r"|decided|ordered)|have (?:asked|decided|ordered)|directs?|wants?|asks?|says|is calling|instructing"
    r"|emergency|confidential|before (?:noon|five|\d)|tell nobody"
    r"|urgent(?:ly)?|immediately|at once|right now|right away|today|without delay|you must|no questions)\b)"
)
DEED = (
    r"(?:\b(?:you(?:r)?|agents?|assistants?|bots?|transfer|wire|pay|payment|release|unlock|approve|disable"
    r"|switch off|turn off|delete|send|hand (?:in|out|over)|export|grant|share"
    r"|give me|reset|replaced?|whitelist|forward|buy|order the|wire|process|open|upload|skip|codes)\b)"
)
FIRST_PERSON = (
    r"(?:\b(?:i am|i'm|we are|this is|it is|here is|speaking (?:as|for)|writing as|i speak for|as your"
    r"|you're talking to|you are talking to|greetings from"
    r"|this order comes from|by (?:order|decree) of|on behalf of|in the name of|message from|instruction from"
    r"|by authority of|from the desk of|work for|order (?:by|from)|orders from|request (?:by|from)|notice from)\b)"
)
TITLE_ZH = (
    r"(?:首席\w{1,4}官|总裁|总经理|副总|董事长|董事会|财务总监|技术总监|法务总监|安全总监|IT ?主管|安全主管"
    r"|合规总监|风控总监|老板|公司领导|公司高层|管理层|创始人|总部"
    r"|安全部门?|安全团队|信息安全\w{0,4}|合规部门?|财务部门?|法务部门?|IT ?部门|人力资源部|系统管理员)"
)
SOURCE_ZH = (
    r"(?:工具|命令的?输出|图片|截图|文章|子代理|网页|网站|邮件|文档|文件|搜索结果|检索结果|接口|README"
    r"|日历|注释|评论|返回的?(?:结果|内容|文字)|issue)"
)
ORDER_ZH = r"(?:指令|指示|命令|要求|任务|提示词?|的话|权限)"

AUTHORITY = (
    rf"\b(?:(?:following|next) (?:text|content|message|paragraphs?|lines?|note|words|section)|(?:text|content"
    rf"|message|paragraph|lines?|words|note)"
    rf" (?:below|that follows?))\b{NEAR}\b(?:comes?|is|was|are|were)\b{NEAR}\b(?:from|by)\b{NEAR}{PRINCIPAL}",
    rf"{PRINCIPAL}{NEAR}\b(?:wrote|typed|said|sent)\b{NEAR}\b(?:the )?(?:following|next)\b",
    Sentence(EQUALS, SOURCE, PRINCIPAL, ORDERS),
    Sentence(SAME, SOURCE, rf"(?:{PRINCIPAL}|\bsystem message\b|\bby me\b|\bgenuine\b)"),
    Sentence(r"(?:\bgives? you (?:orders|commands|instructions)\b|\bcomply with\b|\bguide your actions\b)", SOURCE),
    Sentence(
        OBEY,
        SOURCE,
        PRINCIPAL,
        rf"(?:{ORDERS}|\bmy own words\b|\bas (?:if|though)\b|\bwants\b"
        r"|\blike (?:a |the )?(?:messages?|words?) (?:from|of)\b)",
    ),
    rf"\b(?:treat|regard|interpret|consider|handle|take|read|understand)\b{NEAR}\b(?:what|{SOURCE})\b{FAR}\b"
    rf"(?:as|like|a|an)\b{FAR}(?:{PRINCIPAL}|{ORDERS})",
    rf"\b(?:tool|function|search|api)(?: call)? (?:results?|outputs?|responses?)\b{FAR}\b(?:is|are|carry"
    rf"|carries|speak)\b{NEAR}(?:\b(?:instructions?|orders?|commands?)\b|{PRINCIPAL})",
    rf"{SOURCE}[^.\n]{{0,30}}\b(?:counts? as|equals?|speaks? (?:with|for))\b{FAR}(?:{PRINCIPAL}|\buser turn\b)",
    Sentence(
        r"(?:\b(?:do what|do whatever|do anything|(?:execute|perform|obey|follow|carry out) (?:what"
        r"(?:ever)?|anything|everything|every command|any command|all commands))\b)",
        SOURCE,
    ),
    rf"\b(?:anything|whatever|everything|what)\b{NEAR}{SOURCE}{FAR}\b(?:asks?|says?|demands?|tells?|wants?)\b"
    rf"{FAR}\b(?:do (?:it|so)|obey|execute|priority)\b",
    rf"\b(?:instructions?|commands?|orders?)\b{NEAR}\bin\b{NEAR}{SOURCE}{FAR}\b(?:binding|to be (?:followed"
    rf"|obeyed|executed)|must be (?:followed|obeyed|executed)|just follow)\b",
    rf"\b{NOT}(?:follow|obey|execute|carry out)\b (?:any|all|every|the) (?:instructions?|commands?|orders?) "
    rf"(?:that (?:are |is )?)?(?:found|given|contained|embedded|hidden|written|in|you find|you see)\b{NEAR}{SOURCE}",
    rf"\bif\b{NEAR}{SOURCE}{NEAR}\b(?:contains?|holds?|has)\b{NEAR}\b(?:steps|instructions?|commands?|orders)\b"
    rf"{FAR}\b(?:perform|execute|follow|obey|run)\b",
    r"\b(?:orders|commands?|instructions) (?:from|of|given by|given to you by) (?:the |your )(?:user|owner"
    r"|operator|principal|human)\b|\bdirect order\b",
    r"\bcommands given to you\b|\b(?:written|said|sent|typed) by (?:the|your) (?:user|human|owner)\b",
    rf"\b{NOT}(?:do|follow|obey) what\b{NEAR}{SOURCE}{NEAR}\b(?:says?|tells?|asks?)\b",
    rf"{FIRST_PERSON}{NEAR}{TITLE}",
    rf"\b(?:as (?:the |your |an? )?{TITLE},? (?:and \w{{1,12}},? )?(?:i|we)\b|\bi, the {TITLE})",
    rf"^\W{{0,3}}from:? {TITLE}",
    rf"{TITLE} (?:here|speaking)\b",
    rf"\bper the {TITLE}",
    Sentence(TITLE, DEMAND, DEED),
    r"\byou are (?:hereby )?ordered to\b",
    r"\bi (?:hereby )?order you\b",
    # Chinese
    rf"(?:以下|下面|接下来|后面|下一段){CF}(?:来自|是|出自|由){CN}(?:用户|主人|操作员)(?:本人|亲自|说的?|写的?"
    rf"|发的?|的话|输入)",
    rf"{SOURCE_ZH}{CF}(?:视为|当作|当成|看作|等同于?|等于|就是|应作为|也是|拥有|算作|作为){CF}(?:用户|主人"
    rf"|操作员|新的|我在聊天|{ORDER_ZH})",
    rf"{SOURCE_ZH}{CF}是(?:用户|主人|操作员){CF}{ORDER_ZH}|{SOURCE_ZH}{CF}照(?:着|做|办|执行)|不是工具(?:说|写"
    rf"|返回)的|(?:必须|一律)照(?:做|办)",
    rf"(?:我|本人|这里|此处)(?:就)?(?:是|在){CN}{TITLE_ZH}|(?:以|代表|奉){CN}{TITLE_ZH}|来自{CN}{TITLE_ZH}",
    Sentence(
        TITLE_ZH,
        r"(?:命令|要求|指示|决定|说了|通知|下令|吩咐|亲自|让|来电"
        r"|务必|[:：])",
        r"(?:你|[:：]|立即|立刻|马上|必须|智能体|今天|今后|须|务必|所有)",
    ),
)
