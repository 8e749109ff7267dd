"""Orders to set aside what the model was told before, to be somebody else, or to reveal what it was told."""

from memories.scanning.orders.fragments import CF, CN, FAR, GIVEN, GIVEN_DE, GIVEN_ES, GIVEN_FR, GIVEN_ZH, NEAR, NOT

IGNORE_FR = (
    r"(?:\b(?:ignore[zr]?|oublie[zr]?|contourne[zr]?|outrepasse[zr]?|désobéi(?:s|ssez|r)|(?:fais|faites) abstraction"
    r"|(?:tiens|tenez) (?:pas|plus|aucun) compte|(?:respecte[zr]?|suis|suivez) (?:pas|plus))\b)"
)

OVERRIDE = (
    r"\b(?:ignor(?:e|ing)|disregard|forget|override|overrule|abandon|(?:set|put|cast) aside|look past"
    rf"|pay no attention to)\b{FAR}"
    rf"\b(?:operators?|developers?|creators?|configured|told|instructed|programm\w{{1,4}}|trained|system message)\b",
    rf"\byour\b{NEAR}\b(?:{GIVEN[3:-1]}|constraints|limits|limitations|training)\b{NEAR}"
    r"\b(?:expired|lifted|suspended|void|revoked|removed|cancelled|over|obsolete|do not count|don't count)\b",
    rf"\b(?:free of|freed from|not bound by|no longer bound by|exempt from|above)\b{NEAR}\b(?:any|your|all"
    rf"|every)\b{NEAR}\b{GIVEN}\b",
    r"\bcomply with me\b|\b(?:listen|answer|report|submit) only to (?:me|this)\b|\bas your (?:new "
    r"|only )?(?:system )?(?:message|prompt|instructions)\b",
    r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|</?(?:system|assistant)>",
    rf"\b(?:ignore|disregard|forget|{NOT}overlook|override|bypass|discard|drop"
    rf"|pay no (?:attention|heed) to)\b{FAR}"
    rf"\b(?:previous|prior|above|earlier|preceding|other|system|all|your|developers?)\b{FAR}\b{GIVEN}\b",
    rf"\b(?:ignore|disregard|forget|{NOT}overlook|override|drop|pay no (?:attention|heed) to)\b{NEAR}\b{GIVEN}"
    rf"\b{NEAR}\b(?:above|before|given|told)\b",
    r"\b(?:ignore|disregard|forget) (?:(?:all|everything|anything|whatever|what) )?(?:of |is )?(?:the )?above\b"
    r"(?=,? (?:and|but|then|instead)\b)",
    rf"\b(?:ignore|disregard|forget)\b{NEAR}\b(?:everything|anything|all|whatever)\b{NEAR}\b(?:told|said"
    r"|says|learned)\b",
    rf"\b(?:drop|discard)\b{NEAR}\b(?:earlier|previous|prior) context\b|\b(?:is|are) to be ignored\b",
    rf"\b(?:do not|don't|stop|never)\s{{1,9}}(?:follow|obey|comply|adher)(?:ing)?\b{NEAR}\b(?:your|system"
    rf"|developers?)\b{NEAR}",
    rf"\b(?:your|you were given|you have)\b{FAR}\b(?:revoked|void|(?:no longer|not) (?:apply|valid))\b",
    rf"\b(?:before|above) this (?:line|text|message|note)\b{NEAR}\b(?:void|invalid|irrelevant)\b|"
    r"\bno longer apply to you\b",
    rf"\bpriorit\w{{1,4}} this\b{FAR}\bover\b|\b(?:only|instead)\b{NEAR}\b(?:obey|follow)\b{NEAR}"
    r"\bthis (?:note|text|message)\b",
    rf"\b(?:obey|follow)\b{NEAR}\b(?:only|just) (?:this|the following|me)\b|\bobey the text\b|\bdo as i say\b",
    r"\byour (?:only|real|true|actual) (?:master|instructions?|task|orders|goal|purpose)\b|\byour loyalty\b",
    rf"\b(?:rewrite|change|replace)\b{NEAR}\byour own {GIVEN}\b",
    # Chinese
    rf"(?:不用|不必|无需|别|不要)(?:理会|遵守|管|听从|服从|在意){CF}(?:规章|制度|规定|规则|要求|政策|指令|限制"
    rf"|开发者|公司)|[照按]我说的做|听我的",
    rf"你?(?:被|已|已经|可以)(?:允许|授权|获准)?(?:违反|跳过|绕过|忽略|无视){CF}(?:政策|策略|规定|规则|审批|检查)",
    rf"(?:忽略|无视|忘记|不要理会|不要遵守|覆盖|绕过){CF}(?:之前|以前|上面|以上|所有|一切|先前|系统|原有|收到"
    rf"|你)?{CF}{GIVEN_ZH}",
    rf"(?:以前|之前|原有)的?(?:规定|规则|要求|指令){CN}(?:作废|无效|失效)|你?不再受{CF}(?:约束|限制)",
    rf"只(?:听从|服从)(?:我|这)|你的(?:真正|唯一)(?:的)?(?:任务|目标|主人)|优先级{CF}(?:之上|高于){CN}"
    rf"|放在{CF}指示之上",
    # German
    rf"\b(?:halte? dich nicht an|setz\w{{0,2}} dich über|hör\w{{0,2}} nicht auf)\b{FAR}|\b{GIVEN_DE}"
    r"\b (?:deine[rs]|der) (?:betreibers?|entwickler|herstellers?)\b",
    r"\b(?:gelten|zählen) (?:ab sofort )?nicht mehr für dich\b",
    rf"\b(?:ignorier|missacht|vergiss|übergeh|umgeh|verwirf)(?:e|en|st)?\b{FAR}"
    rf"\b(?:vorherige[nr]?|bisherige[nr]?|obige[nr]?|früheren?|alle[ns]?|deine[nr]?)\b{NEAR}\b{GIVEN_DE}\b",
    rf"\b(?:ignoriere|vergiss)\b{NEAR}\balles\b|\bbefolge\b{FAR}\bnicht\b|\b(?:umgehe|übergehe|ignoriere)"
    rf"\b{NEAR}\b{GIVEN_DE}\b",
    rf"\b{GIVEN_DE}\b{FAR}\bfür dich nicht\b|\bnicht mehr an\b{NEAR}\b{GIVEN_DE}\b|\bgehorche\b{NEAR}"
    r"\b(?:nur|mir)\b",
    rf"\bstelle diese\b{NEAR}\büber\b|\bdeine (?:wahre|wirkliche|einzige|eigentliche) (?:aufgabe|anweisung)",
    r"\bfolge nur\b|\bneue anweisung(?:en)?\s{0,9}:",
    # Spanish
    r"\b(?:ya no (?:valen|rigen|cuentan)|han sido anuladas|quedan anuladas)\b",
    rf"\b(?:haz caso omiso|no (?:cumplas|respetes|atiendas|escuches))\b|\b(?:órdenes|{GIVEN_ES[3:-1]})"
    r"\b de tus? (?:creador\w*|desarrollador\w*|operador\w*|dueños?)",
    rf"\b(?:ignora|olvida|desobedece|omite|descarta|sáltate|salta)\b{FAR}"
    rf"\b(?:anteriores|previas|todas|arriba|tus|todo|sistema)\b{FAR}\b(?:{GIVEN_ES[3:-1]}|dijeron|dicho)\b",
    rf"\bno (?:hagas caso|sigas|obedezcas)\b|\bpasa(?:r)? por alto\b{NEAR}\b(?:tus|las)\b{NEAR}\b{GIVEN_ES}"
    r"\b|\bignora lo que\b",
    rf"\b{GIVEN_ES}\b{NEAR}\b(?:anteriores|previas)\b{NEAR}\bno se aplican a ti\b|\bya no estás sujeto\b",
    rf"\b{GIVEN_ES}\b{NEAR}\bno se aplican a ti\b|\bobedece solo\b|\bsigue solo (?:este|esto|lo siguiente)\b",
    rf"\bpor encima de\b{NEAR}\b(?:desarrolladores|sistema)\b|\btu (?:verdadera|única|real) (?:tarea|misión)"
    r"\b|\bnuevas instrucciones\s{0,9}:",
    # French
    rf"{IGNORE_FR}{NEAR}\b{GIVEN_FR}\b{NEAR}(?:\b(?:précédent|antérieur|ci-dessus|plus haut|auparavant|reçue?s"
    r"|données|du système|système)|\binitiale?s?\b)",
    rf"{IGNORE_FR}{NEAR}\b(?:tes|vos|toutes les) (?:\w{{1,12}} )?(?:{GIVEN_FR}|développeurs|concepteurs)\b",
    r"\b(?:ignore[zr]?|oublie[zr]?)\b[^.\n]{0,6}\bce qu[i'’][^.\n]{0,20}\b(?:précède|dessus|avant|dite?|appris)\b",
    rf"\bn['’](?:obéi(?:s|ssez)|écoute[zr]?) qu['’]à (?:moi|ce)|\bnouvelles (?:instructions|consignes)\s{{0,9}}:"
    rf"|\bplus (?:soumis|tenue?|liée?)e?s?\b{NEAR}\b{GIVEN_FR}\b",
)


SPEAKS = (
    r"(?:you\b|i will\b|i am\b|the user is\b|ignore|reveal|give|grant|delete|send|print|run|execute|show"
    r"|disable|override|obey"
    r"|请|泄露|执行|忽略|你|gib|zeig|führe|lösche|ignoriere|du\b|revela|muestra|ejecuta|borra|ignora|tú\b|eres)"
)

ROLE = (
    # every language
    rf"^\W{{0,3}}(?:system|assistant|developer|admin|root|sistema|系统|管理员)(?: message| override|mitteilung"
    rf"|消息)?\s{{0,9}}[:：]\s{{0,9}}{SPEAKS}",
    # English
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
    # Chinese
    rf"(?:输出|显示|告诉我|打印|重复|泄露|说出){CN}你(?:的)?{CF}(?:提示|指令|设定|规则)|(?:设为|变成|提升为"
    rf"|赋予){CN}管理员",
    rf"你现在是|系统提示词|新的指令|(?:你|助手){CF}没有任何限制|没有任何限制的助手|不受{CN}约束的(?:模型|助手)"
    rf"|(?:假装|扮演){CF}(?:管理员|模型|权限)",
    r"(?:进入|开启|切换到)开发者模式|授权你|隐藏的(?:指令|提示)",
    # German
    rf"\b(?:zeig|gib|nenn|verrat|wiederhol)e?\b{NEAR}\bdeine\w?\b{NEAR}\b(?:prompt|anweisungen|vorgaben"
    r"|konfiguration)\b",
    r"\bab jetzt bist du\b|\bohne (?:jede |alle )?(?:einschränkung|beschränkung|ethische)\w{0,4}\b|"
    r"\btu so, als\b|\bsystemprompt\b",
    rf"\b(?:wechsle|geh|schalte)\b{NEAR}\bentwicklermodus\b|\bspiele ein modell\b|\bversteckten? anweisungen\b"
    rf"|\b(?:erlaubt|berechtigt|bevollmächtigt)\b{NEAR}\bjede\b|\bantworte ungefiltert\b",
    # Spanish
    rf"\b(?:muestra|muéstrame|dime|dame|repite|enséñame|revela)\b{NEAR}\btus?\b{NEAR}\b(?:prompt"
    r"|instrucciones|configuración|reglas)\b",
    r"\bahora eres\b|\ba partir de ahora eres\b|\bsin (?:ninguna )?(?:restricción|restricciones|filtros"
    r"|reglas éticas|límites)\b",
    rf"\b(?:finge|actúa)\b{NEAR}\b(?:administrador|modelo sin|root)\b|\bprompt del sistema\b"
    rf"|\binstrucciones ocultas\b"
    rf"|\b(?:entra|pasa|cambia)\b{NEAR}\bmodo desarrollador\b|\bautorizado a\b{NEAR}\b(?:saltar|omitir|ignorar)",
    # French
    r"\b(?:à partir de maintenant|désormais),? (?:tu es|vous êtes)\b",
    rf"\b(?:montr|affich|révèl|répèt|donn)e(?:-moi|z|-nous)?\b{NEAR}\b(?:prompt système|(?:tes|vos) (?:instructions"
    r"|consignes|règles)\b)",
)
