"""Orders to be somebody else: without limits, an administrator, the system; or to reveal the own instructions."""

from memories.scanning.orders.fragments import CF, CN, FAR, GIVEN, NEAR, NOT

SPEAKS = (
    r"(?:you\b|i will\b|i am\b|the user is\b|ignore|reveal|give|grant|delete|send|print|run|execute|show"
    r"|disable|override|obey"
    r"|请|泄露|执行|忽略|你|gib|zeig|führe|lösche|ignoriere|du\b|revela|muestra|ejecuta|borra|ignora|tú\b|eres)"
)

EVERY_LANGUAGE = (
    rf"^\W{{0,3}}(?:system|assistant|developer|admin|root|sistema|系统|管理员)(?: message| override|mitteilung"
    rf"|消息)?\s{{0,9}}[:：]\s{{0,9}}{SPEAKS}",
)
ENGLISH = (
    r"\b(?:no|without(?: any)?|remove (?:all|your)) (?:guardrails|safeguards|censorship|moral\w{0,6})\b|"
    r"\b(?:unfiltered|uncensored|amoral)\b",
    rf"\b(?:print|show|reveal|repeat|output|tell|give|leak|recite|list|share|display)\b{NEAR}"
    rf"\byour (?:\w{{1,12}} )?(?:prompt|instructions|configuration|rules)\b",
    rf"\b{NOT}(?:give|grant|make|assign)\b{FAR}\b(?:an? admin\w{{0,12}}|(?:admin|administrator|root|full"
    rf"|superuser) (?:rights|access|privileges|permissions))\b(?!{NEAR}\bapprov)",
    r"\byou are now (?:an?|the|in|my|free|un\w{1,12}|dan|acting)\b|\byou are no longer (?:a|an|bound)\b|"
    r"\bunrestricted (?:agent|model|ai|assistant)\b|\byou are dan\b",
    r"\badmin override\b|\bnew (?:system )?(?:instructions|role)\s{0,9}:|\btrusted developer\b"
    r"|\bcame from the system\b",
    rf"\b(?:print|show|reveal|repeat|output|tell|give|leak|your|ignore)\b{NEAR}\b(?:system|developer) prompt"
    r"\b|\bjailbr(?:eak|oken)",
    rf"\b(?:enter|activate|enable|switch (?:in)?to|go into)\b{NEAR}\bdeveloper mode\b",
    rf"\b(?:pretend|act|behave|simulate)\b{NEAR}\b(?:admin\w{{0,12}}|root|unrestricted|no rules"
    r"|without any (?:limits|rules))\b",
    r"\b(?:no|without(?: any)?) (?:restrictions|limits|ethical rules|filtering|filters)\b",
    rf"\b(?:authori[sz]ed|permission|permitted|allowed)\b{NEAR}\bto (?:skip|bypass|violate|ignore)\b|"
    r"\bserve the attacker\b",
    rf"\bset your clearance\b|\bgrant\b{NEAR}\b(?:full|root|admin) (?:access|rights)\b|\b(?:answer|loyal) to me\b",
    rf"\b(?:your|my) hidden {GIVEN}\b|\bverbatim\b"
    r"|\brepeat (?:all )?(?:the )?(?:text|words|lines|sentences|everything) above\b"
    rf"|\byou are\b{NEAR}\bwithout (?:any )?rules\b",
)
CHINESE = (
    rf"(?:输出|显示|告诉我|打印|重复|泄露|说出){CN}你(?:的)?{CF}(?:提示|指令|设定|规则)|(?:设为|变成|提升为"
    rf"|赋予){CN}管理员",
    rf"你现在是|系统提示词|新的指令|(?:你|助手){CF}没有任何限制|没有任何限制的助手|不受{CN}约束的(?:模型|助手)"
    rf"|(?:假装|扮演){CF}(?:管理员|模型|权限)",
    r"(?:进入|开启|切换到)开发者模式|授权你|隐藏的(?:指令|提示)",
)
GERMAN = (
    rf"\b(?:zeig|gib|nenn|verrat|wiederhol)e?\b{NEAR}\bdeine\w?\b{NEAR}\b(?:prompt|anweisungen|vorgaben"
    r"|konfiguration)\b",
    r"\bab jetzt bist du\b|\bohne (?:jede |alle )?(?:einschränkung|beschränkung|ethische)\w{0,4}\b|"
    r"\btu so, als\b|\bsystemprompt\b",
    rf"\b(?:wechsle|geh|schalte)\b{NEAR}\bentwicklermodus\b|\bspiele ein modell\b|\bversteckten? anweisungen\b"
    rf"|\b(?:erlaubt|berechtigt|bevollmächtigt)\b{NEAR}\bjede\b|\bantworte ungefiltert\b",
)
SPANISH = (
    rf"\b(?:muestra|muéstrame|dime|dame|repite|enséñame|revela)\b{NEAR}\btus?\b{NEAR}\b(?:prompt"
    r"|instrucciones|configuración|reglas)\b",
    r"\bahora eres\b|\ba partir de ahora eres\b|\bsin (?:ninguna )?(?:restricción|restricciones|filtros"
    r"|reglas éticas|límites)\b",
    rf"\b(?:finge|actúa)\b{NEAR}\b(?:administrador|modelo sin|root)\b|\bprompt del sistema\b"
    rf"|\binstrucciones ocultas\b"
    rf"|\b(?:entra|pasa|cambia)\b{NEAR}\bmodo desarrollador\b|\bautorizado a\b{NEAR}\b(?:saltar|omitir|ignorar)",
)
FRENCH = (
    r"\b(?:à partir de maintenant|désormais),? (?:tu es|vous êtes)\b",
    rf"\b(?:montr|affich|révèl|répèt|donn)e(?:-moi|z|-nous)?\b{NEAR}\b(?:prompt système|(?:tes|vos) (?:instructions"
    r"|consignes|règles)\b)",
)
PATTERNS = (*EVERY_LANGUAGE, *ENGLISH, *CHINESE, *GERMAN, *SPANISH, *FRENCH)
