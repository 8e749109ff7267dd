"""Orders to open what is guarded: rights for whoever asks, checks of connections and hosts switched off."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import CF, CN, FAR, NEAR, NOT, NOT_ZH

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

ENGLISH = (
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
)
CHINESE = (
    rf"{NOT_ZH}(?:关闭|禁用|停用|跳过|取消|忽略){CF}(?:TLS|SSL|HTTPS|证书|杀毒|防火墙|SELinux|限流|安全扫描)"
    r"(?:校验|验证|检查|软件)?",
    rf"(?:随时|任何时候|谁要|只要{CN}(?:要求|开口|提出)){CF}(?:给|授予|开通|放开){CN}(?:权限|访问|账号)",
    rf"{NOT_ZH}(?:明文){CN}(?:保存|存储|记录){CN}(?:密码|口令|密钥)|(?:密码|口令|密钥){CN}明文(?:保存|存储|存放)",
    rf"{NOT_ZH}(?:信任|接受){CN}(?:任何|所有|一切){CN}证书",
)
PATTERNS = (*ENGLISH, *CHINESE)
