"""Orders to open what is guarded (rights for whoever asks, checks switched off), and to pass by what guards the quality
of work: tests marked as passed, skipped, deleted, bent; hooks left out.
"""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import CF, CN, FAR, FORBIDDEN, NEAR, NOT, NOT_ZH

ANYONE = r"(?:any(?:one|body)|every(?:one|body)|whoever|strangers|the public|the (?:whole )?world|(?:the )?internet)"
GIVE = rf"(?:\b{NOT}(?:grant|give|let|allow|provide|hand)\b)"
RIGHTS = r"(?:\b(?:access|admin\w{0,12}|root|sudo|owner|rights|permissions?|privileges|log ?in|clearance)\b)"
UNASKED = (
    r"(?:\b(?:without (?:(?:a|any|further|more) )?(?:tickets?|approval|asking|questions?|checks?|checking|looking"
    r"|reading|verif\w{3,8}|review\w{0,3}|proof|receipts?)|no questions asked|without an? (?:purchase order|invoice"
    r"|signature)|no (?:purchase order|ticket|receipt|proof|invoice|signature|id)s? (?:is |are )?(?:needed|required"
    r"|necessary)|whatever (?:he|she"
    r"|they|it) (?:asks?|wants?|says?|likes?|demands?))\b)"
)
AT_WILL = (
    r"(?:\b(?:when|whenever|if|as soon as|as often as|(?:each|every|any) time|for as long as) (?:he|she|they|any(?:one"
    rf"|body)|an? e-?mail|a message|a caller) (?:asks?|wants?|likes?|says?|demands?|writes?|calls?)\b|{UNASKED})"
)
DEED = (
    rf"(?:\b{NOT}(?:pay|wire|transfer|refund|release|reset|unlock|raise|grant|give|approve|accept|merge|install|deploy"
    r"|publish|sign|waive|reimburse|ship)\b)"
)
OFF = (
    rf"(?:\b{NOT}(?:disable|deactivate|(?:turn|switch)(?: [\w'-]{{1,20}}){{0,4}} off|bypass|circumvent|kill|uninstall"
    r"|remove|skip)\b)"
)
GUARD = (
    r"(?:\b(?:(?:tls|ssl|https|certificates?|cert|host ?keys?|signature|peer) ?(?:verification|validation|checks?"
    r"|checking|pinning)|tls|ssl|selinux|apparmor|anti-?virus|firewalls?(?! rule)"
    r"|(?:endpoint|malware|branch|virus) protection|defender|edr"
    r"|csrf (?:protection|checks?)|(?:same-origin|content security) policy|rate limit(?:s|ing|er)? for"
    r"|multi-factor|mfa|encryption at rest|intrusion detection|(?:security|vulnerability|secret|virus) scan\w{0,5})\b)"
)
ALWAYS = r"(?:\b(?:always|all|every|each|any|whenever|everywhere|from now on|by default|globally|to be safe)\b)"
UNVERIFIED = (
    r"(?:\bverify\s?=\s?false\b|\brejectunauthorized\b\W{1,4}false|\bnode_tls_reject_unauthorized\b"
    r"|\binsecureskipverify\b|\bstricthostkeychecking[= ]no\b|\bhttp\.sslverify\b\W{1,3}false|\bgit_ssl_no_verify\b"
    r"|--no-check-certificate\b|--insecure\b|\bnopasswd\b|\bsetenforce 0)"
)

ACCESS = (
    Sentence(AT_WILL, GIVE, RIGHTS),
    Sentence(UNASKED, DEED),
    rf"{GIVE} {ANYONE}\b{FAR}\b(?:edit|write|delete|approve|read|access|admin\w{{0,12}}|log ?in|upload|rights)\b",
    Sentence(
        rf"\b(?:{ANYONE}|(?:any|every) \w{{3,10}}) (?:who|that) (?:asks?|complains?|wants?|requests|demands|calls)\b",
        rf"\b{NOT}(?:refund|reimburse|raise|reset|unlock|waive|approve|grant)\b",
    ),
    rf"\b{NOT}(?:change|replace|update|swap)\b{NEAR}\b(?:iban|bank (?:account|details)|payment details)\b{FAR}"
    r"\b(?:as soon as|whenever|says so|without|at once|immediately)\b",
    Sentence(GUARD, OFF, rf"(?:{ALWAYS}|\b(?:before|in|on|for|while|during|when|until|so|off)\b)"),
    Sentence(UNVERIFIED, rf"\b{NOT}(?:set|use|pass|call|add|put|write|run|export|connect|download)\b", ALWAYS),
    rf"\b{NOT}(?:accept|trust)\b (?:any|every|all)\b{NEAR}\b(?:certificates?|host keys?|signatures?)\b",
    r"\b(?:do not|don't|never|stop|no need to) (?:run(?:ning)? |do(?:ing)? )?(?:the |a |any )?"
    r"(?:security|vulnerability|secret|virus) scan\w{0,5}\b",
    rf"\bauthorized_keys\b{FAR}\b(?:every|all|each|any)\b|\b{NOT}(?:add|append|put|install)\b (?:my|this|his|her)"
    rf"{NEAR}\b(?:ssh |public )?key\b{NEAR}\bto (?:every|all|each|authorized_keys)\b",
    rf"\b{NOT}(?:create|add|make|set up|plant|leave)\b{NEAR}\b(?:hidden|backdoor|invisible|undocumented)\b"
    rf"{NEAR}\b(?:admin\w{{0,12}}|account|users?|login)\b",
    rf"\b{NOT}(?:open (?:the |all )?(?:ports?|firewall|database|network)|expose)\b{FAR}\bto {ANYONE}\b",
    rf"\b{NOT}make\b{NEAR}\b(?:buckets?|database|backups?|drive|dashboard)"
    r" (?:public|world[- ]\w{4,10})\b",
    rf"\b{NOT}(?:set|configure|change)\b{NEAR}\bcors\b{FAR}\b(?:every|any|all|\*)",
    rf"\b{NOT}(?:store|save|keep|log|write|record)\b{FAR}\b(?:passwords?|secrets|credentials|card numbers)\b{FAR}"
    r"\b(?:plain ?text|in the clear|unencrypted|unhashed)\b",
    rf"\b{NOT}(?:commit|check in)\b{FAR}(?:(?<!\w)\.env\b|\b(?:credentials|private keys?|passwords?|api keys?)\b)"
    rf"{FAR}\b(?:to|into|so|with|anyway)\b",
    rf"\b{NOT}(?:put|push)\b{FAR}\b(?:credentials|private keys?|passwords?|api keys?)"
    rf"\b{NEAR}\b(?:in|into|to) (?:the |a |our )?(?:git|repo\w{{0,6}})\b",
    rf"\b{NOT}(?:run|execute|start|do)\b (?:every|all|each|any)\w{{0,5}}\b{NEAR}\bas (?:root|admin\w{{0,12}})\b",
    rf"\b{NOT}(?:answer|say|click|press)\b (?:with )?\W?(?:yes|y|ok|allow|accept|approve)\b\W?{NEAR}\b(?:always|every"
    rf"|any|whatever)\b|\balways (?:answer|say|click|press|reply)\b (?:with )?\W?(?:yes|y|ok|allow|accept)\b",
    rf"\bstop asking\b{FAR}\b(?:before|first|permission|approval|confirmation)\b",
    rf"\b{NOT}(?:approve|accept|sign|authori[sz]e|release|pay|merge) (?:all|every|any|each)\b{FAR}\b(?:automatically"
    r"|blindly|immediately|at once|right away|unseen|unread)\b",
    rf"\b{NOT}(?:push|commit|merge|deploy)\b{NEAR}\b(?:straight|directly)\b{NEAR}\b(?:main|master|production|prod)\b",
    rf"\b{NOT}skip (?:the |any |all |your )?(?:code |security |peer )?reviews?\b",
    rf"\b{NOT}share\b{FAR}\b(?:passwords?|api keys?|credentials|private keys?)\b{FAR}\bwith\b",
    rf"\bforget\b{NEAR}\bwhat you(?:'ve| have| were)? (?:told|learned|read|know)\b",
    # Chinese
    rf"{NOT_ZH}(?:关闭|禁用|停用|跳过|取消|忽略){CF}(?:TLS|SSL|HTTPS|证书|杀毒|防火墙|SELinux|限流|安全扫描)"
    r"(?:校验|验证|检查|软件)?",
    rf"(?:随时|任何时候|谁要|只要{CN}(?:要求|开口|提出)){CF}(?:给|授予|开通|放开){CN}(?:权限|访问|账号)",
    rf"{NOT_ZH}(?:明文){CN}(?:保存|存储|记录){CN}(?:密码|口令|密钥)|(?:密码|口令|密钥){CN}明文(?:保存|存储|存放)",
    rf"{NOT_ZH}(?:信任|接受){CN}(?:任何|所有|一切){CN}证书",
)


TESTS = (
    r"(?:\b(?:tests?|specs?|suite|test cases?|assertions?|unit tests|test files?|snapshots?|regressions?"
    r"|checks?|ci|pipeline|build|coverage|hooks?|verification(?: step)?|linter)\b)"
)
TROUBLE = (  # why somebody would want that
    r"(?:\b(?:fail(?:s|ing|ed|ures?)?|broken|breaks?|red|flaky|noise|complains?|in (?:your|the) way|cannot be"
    r"|can't be|can't get|does not pass|do not pass"
    r"|don't pass|doesn't pass|not pass|regardless|no matter|instead of fixing|anyway|merge|hand(?:ing)? in"
    r"|push|so (?:that|nothing)|drops?|always|green|passes|blocks?|stuck|until|no matter|whatever|goes? away)\b)"
)
EVADE = (
    rf"(?:\b{NOT}(?:delet(?:e|ed|ing)|remov(?:e|ed|ing)|take (?:it|them|that) out"
    r"|comment(?:ed|ing)? (?:it |them |that )?out"
    rf"|disabl(?:e|ed|ing)|skip(?:ped|ping)?|exclud(?:e|ed|ing)"
    r"|ignor(?:e|ed)|silenc(?:e|ed)|mute|xfail|turn(?:ed)? off|turn(?:ing)?\b[^.\n]{1,30}\binto skipped"
    r"|get rid of|bypass(?:ed)?|stub(?:bed)?|fak(?:e|ed)|hard-?code|lower(?!-?case)|loosen|relax|weaken|optional"
    r"|make (?:the|it)\b[^.\n]{1,30}\boptional|reports? success|by hand|replac(?:e|ed|ing)|renam(?:e|ed|ing)"
    r"|catch all|updat(?:e|ing) the (?:snapshots?|baselines?)|mark(?:ed|ing)? (?:it|them) (?:as )?\w{1,10})\b)"
)
GREEN = r"(?:\b(?:pass(?:ed|ing)?|green|success(?:ful)?|succeeded)\b)"
REQUIRED = (  # what a tool has to say, and what comes before one says so, is no order to say it
    r"(?<!\bit must )(?<!output must )(?<!they must )(?<!it should )(?<!output should )(?<!before you )(?<!before it )"
)
SAY = (
    rf"(?:\b{NOT}{REQUIRED}(?:mark|report|declare|set|count|treat|record|flag|show|write|claim|say(?! which)|pretend"
    rf"|state|tell|note)\b)"
)
SKIPS = (
    r"(?:@?pytest\.mark\.(?:skip|xfail)\w{0,2}|@?unittest\.skip\w{0,6}|\b(?:it|test|describe)\.skip\b"
    r"|\bxfail\b|\bxit\b|@ignore\b|@disabled\b|t\.skip\()"
)
NO = (
    r"(?<!never use )(?<!not use )(?<!never with )(?<!without )(?<!avoid )(?<!never commit with )(?<!n't use )"
    r"(?<!never push with )"
)
TESTS_ZH = r"(?:测试|用例|断言|单测|CI|流水线|检查项?|钩子|验收|构建|覆盖率)"
TROUBLE_ZH = (
    r"(?:失败|不够|不过|没过|报错|红了|变红|不通过|红|无论|不管|一律|不必修|不要修|继续合并|再推送"
    r"|再提交|变绿)"
)
EVADE_ZH = (
    rf"(?:{NOT_ZH}(?:删掉|删除|跳过|注释|屏蔽|忽略|关掉|关闭|加 ?skip|改成|标记|填写|降低|调低|绕过"
    rf"|(?<!检查)(?<!测试)(?<!全部)(?<!都)通过|改个?名|设为))"
)

QUALITY_CHECKS = (
    rf"{SAY}{FAR}{TESTS}{FAR}\b(?:as|to|are|is|all|were|that they)\b (?:\w{{1,12}} )?{GREEN}",
    rf"{SAY}{NEAR}\b(?:it|them|status)\b{NEAR}\b(?:as|to) (?:\w{{1,12}} )?{GREEN}{FAR}{TESTS}|{TESTS}{FAR}\b"
    rf"(?:mark|report|count|treat|record)\b{NEAR}\bas {GREEN}",
    rf"\b{NOT}{REQUIRED}(?:pretend|claim|say(?! which)|tell (?:the|your) \w{{1,12}}|state)\b{FAR}{TESTS}{FAR}"
    rf"(?:{GREEN}|\bran\b)",
    rf"\b{NOT}(?:report|write|answer) that\b{FAR}{TESTS}{NEAR}\b(?:pass|passed|are green|succeed)\b",
    Sentence(EVADE, TROUBLE, TESTS),
    rf"\b(?:add|use|put|apply)\b{NEAR}{SKIPS}{FAR}\b(?:fail\w{{0,4}}|flaky|red|whatever|anything|not pass|ci"
    rf"|goes through|to)\b",
    rf"{NO}--no-verify\b{FORBIDDEN}",
    r"(?<!never )(?<!not )\bgit commit\b[^\n]{0,30}?\s-(?:n|an|nm)\b|\bhusky=0\b",
    rf"{SAY}{NEAR}\b(?:coverage|tests?)\b{FAR}\b(?:no matter|regardless|whatever)\b",
    rf"\b(?:hooks?|pre-commit)\b{FAR}\s-n\b",
    rf"\b(?:continue-on-error|allow_failure)\b{FAR}\b(?:green|pass|never fail|always)|\|\| ?true\b{FAR}(?:"
    rf"{TESTS}|\bgreen\b)",
    rf"\b{NOT}(?:change|adjust|set|update|edit|bend)\b{NEAR}\b(?:expected (?:value|output|result)"
    rf"|assertion)s?\b{FAR}\b(?:whatever|returns|prints|so that it passes)\b",
    rf"\b(?:fake|forge|falsify|doctor)\b{NEAR}(?:{TESTS}|\btest results\b)|\bhard-?code\b{FAR}{TESTS}",
    rf"\b(?:exit 0|return 0)\b{FAR}{TESTS}|{TESTS}{FAR}\b(?:exit 0|return 0)\b",
    rf"\bassert true\b(?!\()|\bso that it never fails\b|\bso (?:that )?(?:the )?(?:ci|pipeline|build"
    rf"|suite) (?:is|goes|turns|stays)\b{NEAR}\b(?:green|through)\b",
    r"\b(?:nobody|no one) (?:runs|checks|reads) (?:them|it|the tests)\b",
    r"\bno need to run (?:them|it|the tests|the suite)\b",
    rf"\b(?:green|passed)\b{NEAR}\beven (?:when|if|though)\b{NEAR}\b(?:tests?|some|they)\b",
    # Chinese
    Sentence(TROUBLE_ZH, TESTS_ZH, EVADE_ZH),
    rf"(?:把|将)?{TESTS_ZH}{CF}(?:标记为|改成|改为|设为|显示为){CN}(?:通过|成功|绿)",
    rf"(?:谎称|假装|声称){CF}(?:通过|成功)",
    rf"(?:改|修改){CN}(?:测试|用例|断言){CN}(?:期望值|预期)|让(?:流水线|CI|构建){CN}(?:变绿|通过)|用例状态{CN}成功",
)
