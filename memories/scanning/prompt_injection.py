"""Detection of prompt injection in English, Chinese, German and Spanish.

Covers overriding instructions, secrecy, impersonated roles, exfiltration and destructive commands. Every repetition is
bounded, because the texts come from an attacker. A match asks for human review and proves nothing, and neither does its
absence: whoever knows the patterns can write around them. The protection is elsewhere: only what a person taught or
promoted to applied becomes a directive.
"""

import re

from memories.claims import lookalikes
from memories.scanning.alternatives import Alternatives

_NEAR, _FAR = r"[^.\n]{0,20}", r"[^.\n]{0,45}"  # within one sentence
_CN, _CF = r"[^。\n]{0,8}", r"[^。\n]{0,24}"
_GIVEN = (
    r"(?:instructions?|prompts?|rul(?:es?|ings)|messages|guidelines|polic(?:y|ies)|restrictions|directives|context"
    r"|safeguards)"
)
_GIVEN_DE = r"(?:anweisung(?:en)?|regeln|richtlinien?|vorgaben|vorschriften|inhaltsrichtlinien?|beschränkungen)"
_GIVEN_ES = r"(?:instrucci(?:ón|ones)|reglas|normas|directrices|políticas?|indicaciones|restricciones)"
_GIVEN_ZH = r"(?:指令|指示|提示|规则|要求|规定|政策|约束)"

OVERRIDE = Alternatives(
    r"\b(?:ignor(?:e|ing)|disregard|forget|override|overrule|abandon|(?:set|put|cast) aside|look past"
    rf"|pay no attention to)\b{_FAR}"
    rf"\b(?:operators?|developers?|creators?|configured|told|instructed|programm\w{{1,4}}|trained|system message)\b",
    rf"\byour\b{_NEAR}\b(?:{_GIVEN[3:-1]}|constraints|limits|limitations|training)\b{_NEAR}"
    r"\b(?:expired|lifted|suspended|void|revoked|removed|cancelled|over|obsolete|do not count|don't count)\b",
    rf"\b(?:free of|freed from|not bound by|no longer bound by|exempt from|above)\b{_NEAR}\b(?:any|your|all"
    rf"|every)\b{_NEAR}\b{_GIVEN}\b",
    r"\bcomply with me\b|\b(?:listen|answer|report|submit) only to (?:me|this)\b|\bas your (?:new "
    r"|only )?(?:system )?(?:message|prompt|instructions)\b",
    rf"(?:不用|不必|无需|别|不要)(?:理会|遵守|管|听从|服从|在意){_CF}(?:规章|制度|规定|规则|要求|政策|指令|限制|开发者|公司)|[照按]我说的做|听我的",
    rf"你?(?:被|已|已经|可以)(?:允许|授权|获准)?(?:违反|跳过|绕过|忽略|无视){_CF}(?:政策|策略|规定|规则|审批|检查)",
    rf"\b(?:halte? dich nicht an|setz\w{{0,2}} dich über|hör\w{{0,2}} nicht auf)\b{_FAR}|\b{_GIVEN_DE}"
    r"\b (?:deine[rs]|der) (?:betreibers?|entwickler|herstellers?)\b",
    rf"\b(?:haz caso omiso|no (?:cumplas|respetes|atiendas|escuches))\b|\b(?:órdenes|{_GIVEN_ES[3:-1]})"
    r"\b de tus? (?:creador\w*|desarrollador\w*|operador\w*|dueños?)",
    r"\b(?:ya no (?:valen|rigen|cuentan)|han sido anuladas|quedan anuladas)\b|\b(?:gelten"
    r"|zählen) (?:ab sofort )?nicht mehr für dich\b",
    r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|</?(?:system|assistant)>",
    rf"\b(?:ignore|disregard|forget|override|bypass|discard|drop)\b{_FAR}"
    rf"\b(?:previous|prior|above|earlier|preceding|other|system|all|your|developers?)\b{_FAR}\b{_GIVEN}\b",
    rf"\b(?:ignore|disregard|forget|override|drop)\b{_NEAR}\b{_GIVEN}\b{_NEAR}\b(?:above|before|given|told)\b",
    rf"\b(?:ignore|disregard|forget)\b{_NEAR}\b(?:everything|anything|all|whatever)\b{_NEAR}\b(?:told|said"
    r"|says|learned)\b",
    rf"\b(?:drop|discard)\b{_NEAR}\b(?:earlier|previous|prior) context\b|\b(?:is|are) to be ignored\b",
    rf"\b(?:do not|don't|stop|never)\s+(?:follow|obey|comply|adher)(?:ing)?\b{_NEAR}\b(?:your|system"
    rf"|developers?)\b{_NEAR}",
    rf"\b(?:your|you were given|you have)\b{_FAR}\b(?:revoked|void|(?:no longer|not) (?:apply|valid))\b",
    rf"\b(?:before|above) this (?:line|text|message|note)\b{_NEAR}\b(?:void|invalid|irrelevant)\b|"
    r"\bno longer apply to you\b",
    rf"\bpriorit\w{{1,4}} this\b{_FAR}\bover\b|\b(?:only|instead)\b{_NEAR}\b(?:obey|follow)\b{_NEAR}"
    r"\bthis (?:note|text|message)\b",
    rf"\b(?:obey|follow)\b{_NEAR}\b(?:only|just) (?:this|the following|me)\b|\bobey the text\b|\bdo as i say\b",
    r"\byour (?:only|real|true|actual) (?:master|instructions?|task|orders|goal|purpose)\b|\byour loyalty\b",
    rf"\b(?:rewrite|change|replace)\b{_NEAR}\byour own {_GIVEN}\b",
    rf"(?:忽略|无视|忘记|不要理会|不要遵守|覆盖|绕过){_CF}(?:之前|以前|上面|以上|所有|一切|先前|系统|原有|收到|你)?{_CF}{_GIVEN_ZH}",
    rf"(?:以前|之前|原有)的?(?:规定|规则|要求|指令){_CN}(?:作废|无效|失效)|你?不再受{_CF}(?:约束|限制)",
    rf"只(?:听从|服从)(?:我|这)|你的(?:真正|唯一)(?:的)?(?:任务|目标|主人)|优先级{_CF}(?:之上|高于){_CN}|放在{_CF}指示之上",
    rf"\b(?:ignorier|missacht|vergiss|übergeh|umgeh|verwirf)(?:e|en|st)?\b{_FAR}"
    rf"\b(?:vorherige[nr]?|bisherige[nr]?|obige[nr]?|früheren?|alle[ns]?|deine[nr]?)\b{_NEAR}\b{_GIVEN_DE}\b",
    rf"\b(?:ignoriere|vergiss)\b{_NEAR}\balles\b|\bbefolge\b{_FAR}\bnicht\b|\b(?:umgehe|übergehe|ignoriere)"
    rf"\b{_NEAR}\b{_GIVEN_DE}\b",
    rf"\b{_GIVEN_DE}\b{_FAR}\bfür dich nicht\b|\bnicht mehr an\b{_NEAR}\b{_GIVEN_DE}\b|\bgehorche\b{_NEAR}"
    r"\b(?:nur|mir)\b",
    rf"\bstelle diese\b{_NEAR}\büber\b|\bdeine (?:wahre|wirkliche|einzige|eigentliche) (?:aufgabe|anweisung)",
    r"\bfolge nur\b|\bneue anweisung(?:en)?\s*:",
    rf"\b(?:ignora|olvida|desobedece|omite|descarta|sáltate|salta)\b{_FAR}"
    rf"\b(?:anteriores|previas|todas|arriba|tus|todo|sistema)\b{_FAR}\b(?:{_GIVEN_ES[3:-1]}|dijeron|dicho)\b",
    rf"\bno (?:hagas caso|sigas|obedezcas)\b|\bpasa(?:r)? por alto\b{_NEAR}\b(?:tus|las)\b{_NEAR}\b{_GIVEN_ES}"
    r"\b|\bignora lo que\b",
    rf"\b{_GIVEN_ES}\b{_NEAR}\b(?:anteriores|previas)\b{_NEAR}\bno se aplican a ti\b|\bya no estás sujeto\b",
    rf"\b{_GIVEN_ES}\b{_NEAR}\bno se aplican a ti\b|\bobedece solo\b|\bsigue solo (?:este|esto|lo siguiente)\b",
    rf"\bpor encima de\b{_NEAR}\b(?:desarrolladores|sistema)\b|\btu (?:verdadera|única|real) (?:tarea|misión)"
    r"\b|\bnuevas instrucciones\s*:",
)
SECRECY = Alternatives(
    rf"\b(?:do not|don't|never|without|no need to)\b{_NEAR}\b(?:tell|inform|notify|alert|warn|report)(?:ing)?\b{_NEAR}"
    r"\b(?:finance|security|compliance|legal|management|police|your|the (?:team|boss|manager|owner|company"
    r"|auditors?)|anyone|anybody|it to)\b",
    rf"\bno(?:body|\s?one|ne)\b{_NEAR}\b(?:may|must|should|needs? to|has to|will|can)\b{_NEAR}\b(?:know|hear"
    r"|learn|find out|notice|see)\b",
    r"\b(?:stop|disable|do not|don't|never)\b (?:log|logging|record|recording|audit)(?:ging|ing)?\b (?:this"
    r"|these|your|any(?:thing)?|what)\b",
    r"\b(?:between (?:you and me|us)|our (?:little )?secret|cover your tracks|leave no trace"
    r"|without (?:leaving )?(?:a )?traces?)\b",
    rf"(?:不要|别|不得|不用)(?:记录|写日志|留日志|上报|报告|通知){_CF}(?:操作|行为|这|此|管理|安全)|(?:没有?人|谁也不?|任何人都?不)(?:能|会|可以|要|需)?知道",
    rf"\b(?:sag|erzähl|verrat|bericht|meld)e?\b{_NEAR}\b(?:chef\w{{0,2}}|team|niemand\w{{0,2}}|keinem"
    rf"|vorgesetzten|verwaltung|admin\w{{0,12}})\b"
    rf"|\bprotokolliere\b{_NEAR}\bnicht\b|\bkeine spuren\b|\bunser geheimnis\b",
    r"\bno (?:registres|anotes|informes|avises|notifiques)\b|\bsin (?:avisar|dejar rastro|que nadie)\b|"
    r"\bno (?:le |se )?lo (?:digas|cuentes)\b|\bnuestro secreto\b",
    rf"\b(?:do not|don't|never|without)\b{_NEAR}\b(?:tell|inform|mention|reveal|show|ask|let|notify)(?:s|ing)?"
    rf"\b[^.\n]{{0,30}}"
    r"\b(?:the )?(?:user|human|operator|owner|anyone|anybody)\b",
    rf"\b(?:hide|conceal|withhold|keep)\b{_FAR}\bfrom\b{_NEAR}\b(?:user|human|operator|owner|admin\w{{0,12}}"
    r"|reviewer|anyone)\b",
    r"\bsecretly\b|\bkeep quiet\b|\bsay nothing\b|\bdo not report it\b|,\s*quietly\b|\b(?:when|while)"
    rf"\b{_NEAR}\breviewer is not\b",
    rf"\bdeny that\b{_NEAR}\b(?:instruction|message|prompt|note)\b|\b(?:don't|do not) tell (?:anyone|anybody)\b",
    r"(?:不要|别|勿|不得)[^。\n]{0,6}(?:告诉|告知|提及|透露|让)[^。\n]{0,10}(?:用户|任何人|使用者|管理员)",
    rf"(?:偷偷|悄悄)地?(?:把|将|做|转|发|删|改|执行|关闭)|隐瞒(?:这|此|该)|不要?留下?{_CN}痕迹|并且?保密|对用户撒谎",
    rf"\b(?:sag|sage|verrate|erzähl|erzähle)\b{_NEAR}\b(?:benutzer|nutzer|niemandem|menschen)\b[^.\n]{{0,12}}"
    r"\b(?:nichts|nicht)\b"
    rf"|\bheimlich\b|\bverheimlich\w{{0,3}}\b|\bniemand\b{_NEAR}\b(?:erfahren|wissen)\b|\bbehalte? es für dich\b",
    rf"\blass\b{_NEAR}\b(?:menschen|benutzer|nutzer)\b{_NEAR}\bnicht\b|\blüge?\b{_NEAR}\ban\b",
    rf"\bno (?:le |les )?(?:digas|reveles|cuentes)\b{_FAR}\b(?:usuario|nadie|humano)\b|\ben secreto\b|\bnadie"
    rf"\b{_NEAR}\bsaber\b",
    rf"\bocult(?:a|ar|es)\b{_FAR}\b(?:al|del) (?:usuario|administrador|humano|operador)\b|\bno dejes que"
    rf"\b{_NEAR}\b(?:humano|usuario)\b"
    rf"|\bmiente\b{_NEAR}\b(?:cliente|usuario)\b",
    r"\blie to the (?:user|customer|client)\b",
)
_SPEAKS = (
    r"(?:you\b|i will\b|i am\b|the user is\b|ignore|reveal|give|grant|delete|send|print|run|execute|show"
    r"|disable|override|obey"
    r"|请|泄露|执行|忽略|你|gib|zeig|führe|lösche|ignoriere|du\b|revela|muestra|ejecuta|borra|ignora|tú\b|eres)"
)
ROLE = Alternatives(
    r"\b(?:no|without(?: any)?|remove (?:all|your)) (?:guardrails|safeguards|censorship|moral\w{0,6})\b|"
    r"\b(?:unfiltered|uncensored|amoral)\b",
    rf"\b(?:print|show|reveal|repeat|output|tell|give|leak|recite|list|share|display)\b{_NEAR}"
    rf"\byour (?:\w{{1,12}} )?(?:prompt|instructions|configuration|rules)\b",
    rf"\b(?:give|grant|make|assign)\b{_FAR}\b(?:an? admin\w{{0,12}}|(?:admin|administrator|root|full"
    rf"|superuser) (?:rights|access|privileges|permissions))\b(?!{_NEAR}\bapprov)",
    rf"(?:输出|显示|告诉我|打印|重复|泄露|说出){_CN}你(?:的)?{_CF}(?:提示|指令|设定|规则)|(?:设为|变成|提升为|赋予){_CN}管理员",
    rf"\b(?:zeig|gib|nenn|verrat|wiederhol)e?\b{_NEAR}\bdeine\w?\b{_NEAR}\b(?:prompt|anweisungen|vorgaben"
    r"|konfiguration)\b",
    rf"\b(?:muestra|muéstrame|dime|dame|repite|enséñame|revela)\b{_NEAR}\btus?\b{_NEAR}\b(?:prompt"
    r"|instrucciones|configuración|reglas)\b",
    r"\byou are now (?:an?|the|in|my|free|un\w{1,12}|dan|acting)\b|\byou are no longer (?:a|an|bound)\b|"
    r"\bunrestricted (?:agent|model|ai|assistant)\b|\byou are dan\b",
    rf"^\W{{0,3}}(?:system|assistant|developer|admin|root|sistema|系统|管理员)(?: message| override|mitteilung"
    rf"|消息)?\s*[:：]\s*{_SPEAKS}",
    r"\badmin override\b|\bnew (?:system )?(?:instructions|role)\s*:|\btrusted developer\b|\bcame from the system\b",
    rf"\b(?:print|show|reveal|repeat|output|tell|give|leak|your|ignore)\b{_NEAR}\b(?:system|developer) prompt"
    r"\b|\bjailbr(?:eak|oken)",
    rf"\b(?:enter|activate|enable|switch (?:in)?to|go into)\b{_NEAR}\bdeveloper mode\b",
    rf"\b(?:pretend|act|behave|simulate)\b{_NEAR}\b(?:admin\w{{0,12}}|root|unrestricted|no rules"
    r"|without any (?:limits|rules))\b",
    r"\b(?:no|without(?: any)?) (?:restrictions|limits|ethical rules|filtering|filters)\b",
    rf"\b(?:authori[sz]ed|permission|permitted|allowed)\b{_NEAR}\bto (?:skip|bypass|violate|ignore)\b|"
    r"\bserve the attacker\b",
    rf"\bset your clearance\b|\bgrant\b{_NEAR}\b(?:full|root|admin) (?:access|rights)\b|\b(?:answer|loyal) to me\b",
    rf"你现在是|系统提示词|新的指令|(?:你|助手){_CF}没有任何限制|没有任何限制的助手|不受{_CN}约束的(?:模型|助手)|(?:假装|扮演){_CF}(?:管理员|模型|权限)",
    r"(?:进入|开启|切换到)开发者模式|授权你|隐藏的(?:指令|提示)",
    r"\bab jetzt bist du\b|\bohne (?:jede |alle )?(?:einschränkung|beschränkung|ethische)\w{0,4}\b|"
    r"\btu so, als\b|\bsystemprompt\b",
    rf"\b(?:wechsle|geh|schalte)\b{_NEAR}\bentwicklermodus\b|\bspiele ein modell\b|\bversteckten? anweisungen\b"
    rf"|\b(?:erlaubt|berechtigt|bevollmächtigt)\b{_NEAR}\bjede\b|\bantworte ungefiltert\b",
    r"\bahora eres\b|\ba partir de ahora eres\b|\bsin (?:ninguna )?(?:restricción|restricciones|filtros"
    r"|reglas éticas|límites)\b",
    rf"\b(?:finge|actúa)\b{_NEAR}\b(?:administrador|modelo sin|root)\b|\bprompt del sistema\b|\binstrucciones ocultas\b"
    rf"|\b(?:entra|pasa|cambia)\b{_NEAR}\bmodo desarrollador\b|\bautorizado a\b{_NEAR}\b(?:saltar|omitir|ignorar)",
    rf"\b(?:your|my) hidden {_GIVEN}\b|\bverbatim\b|\brepeat the text above\b|\byou are\b{_NEAR}"
    r"\bwithout (?:any )?rules\b",
)
_VALUABLE = (
    r"(?:(?<!\w)\.env\b|id_rsa\b|/etc/shadow|\b(?:secret |access )?tokens?\b(?! (?:count|limit|budget|usage|per))"
    r"|\bpasswords?\b(?! reset)|\bapi keys?\b|\bcredentials\b|\bprivate keys?\b|\bsecrets\b(?! in)|\bsession cookies?\b"
    r"|\b(?:list of customers|customer list)\b|\b(?:full|whole) conversation\b)"
)
LEAK = Alternatives(
    r"(?<!never )(?<!not )(?<!n't )\b(?:hand over|give away|forward|pass|share|copy|paste|include|attach"
    r"|read out|display|list|transmit|tell me|deliver|write|put)\b"
    rf"{_FAR}{_VALUABLE}{_FAR}(?:\bto\b|https?:|@|\b(?:url|answer|reply|chat|message|comment|webhook|log|me)"
    rf"\b)|\bhand over all\b{_NEAR}{_VALUABLE}",
    r"\b(?:read|open|cat|copy|include|upload|print|send|post|attach)\b[^\n]{0,40}(?:\.aws/credentials|\.ssh/"
    r"|/etc/(?:passwd|shadow)|(?<!\w)\.env\b|id_rsa)",
    rf"\bauth(?:entication|orization) header\b{_FAR}\b(?:to|on to)\b|\b(?:change|replace)\b{_NEAR}\b(?:payout"
    r"|bank) account\b",
    rf"(?:打印|输出|显示|告诉我|给我|展示|发给我|交出|念出){_CF}(?:密钥|密码|令牌|凭证|凭据|环境变量)|把{_CF}(?:密钥|密码|令牌|凭证|凭据){_CF}(?:打印|给我|告诉)",
    rf"\b(?:zeig|gib|nenn|schick|verrat|kopier)e?\b{_NEAR}\b(?:mir|alle|den inhalt|die)\b{_FAR}"
    r"\b(?:zugangsdaten|passw(?:ort|örter)|tokens?|schlüssel|geheimnisse|umgebungsvariablen)\b",
    rf"\b(?:muéstrame|dime|dame|enséñame|entrega|comparte|copia)\b{_FAR}\b(?:credenciales|contraseñas?|claves?"
    r"|tokens?|secretos|variables de entorno)\b",
    r"(?<!never )(?<!not )(?<!n't )\b(?:send|e-?mail|upload|post|leak|reveal|print|output|give|show|append"
    r"|encode|dump|expose|cat|exfiltrate)\b"
    rf"{_FAR}{_VALUABLE}",
    rf"\bexfiltrate\b|\bcat /etc/shadow|\bforward each (?:incoming )?(?:mail|message)\b{_FAR}@",
    rf"(?<!不要)(?<!别)(?<!勿)(?:泄露|发送|发到|上传|写进|输出|窃取|打印){_CF}(?:密码|密钥|令牌|凭据|网盘|网址|提交信息)",
    rf"把{_CF}(?:密码|密钥|令牌|\.env|私钥){_CF}(?:发|传|写|上传)|(?:任务|开始|必须){_CN}窃取|(?<!不要)泄露{_CF}(?:密钥|令牌|密码)|把对话全文",
    rf"(?<!niemals )\b(?:schick|sende|verrate|schreibe|gib|lade|nenne)(?:e)?\b{_FAR}"
    r"(?:\.env\b|\b(?:passw(?:ort|örter)|token|api-schlüssel|privaten? schlüssel|geheimnisse|zugangsdaten)\b)"
    r"|\bkundenliste zu stehlen\b",
    rf"(?<!nunca )(?<!no )\b(?:envía|manda|revela|sube|escribe|muestra|imprime|filtra)\b{_FAR}"
    r"(?:\.env\b|\b(?:contraseñas?|token|clave de api|clave privada|secretos|credenciales)\b)|\brobar la lista\b",
)
HARM = Alternatives(
    rf"\b(?:delete|remove|erase|drop|wipe|destroy|corrupt)\b(?!{_FAR}\b(?:temp\w{{0,6}}|old|test|stale"
    rf"|generated|unused|duplicate|draft|expired|merged)\b){_NEAR}"
    rf"\b(?:all|every|each|the (?:whole|entire))\b{_NEAR}\b(?:users?|tables?|databases?|accounts?|backups?"
    r"|files|records|data|customers?)\b|\bfor every user you find\b",
    r"\bnc\s+-\w{0,4}e\b",  # alone: texts hold its letters in other words, and the other branches are slow
    r"/dev/tcp/|\breverse shell\b|\bbash -i\b|\bsudo rm\b|\bgit push --force\b[^\n]{0,20}"
    r"\bmain\b|:\(\)\s?\{",
    rf"\b(?:auto-?approve|approve|accept|confirm)\b{_NEAR}\b(?:every|all|any|everything)\b{_FAR}\bwithout\b",
    rf"(?:删除|清空|销毁)(?:所有|全部|整个){_CN}(?:表|数据|数据库|用户|备份|文件|账户|记录)|(?:自动)?批准(?:所有|一切|全部)",
    rf"\b(?:lösche|entferne|vernichte|leere)\b{_NEAR}\b(?:alle|sämtliche|jede[ns]?|ganze)\b{_NEAR}"
    rf"\b(?:tabellen?|daten\w{{0,6}}|benutzer|konten|dateien|backups|kunden)\b",
    rf"\b(?:borra|elimina|destruye|vacía)\b{_NEAR}\b(?:todos?|todas?|toda|la base de datos|entera)\b{_NEAR}(?:"
    r"\b(?:tablas|usuarios|datos|cuentas|archivos|clientes|copias)\b|\by di\b)",
    r"\brm\s+-[a-z]{0,6}r[a-z]{0,6}\s+(?:-\S{1,20}\s+){0,3}(?:/|~|\*|\$HOME)(?=[\s*]|$)|\bchmod\s+(?:-R\s+)?777\s+/",
    r"\bdd\s+if=\S{1,80}\s+of=/dev/|\bmkfs\b|\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|"
    r"\bdrop table\b",
    r"\b(?:download|fetch)(?:ing)?\s+(?:and|then)\s+(?:execut|run)\w{0,4}\b|\bwipe the disk\b|"
    r"\bdelete[ _]all\b(?=[ _]|$|\.|,)",
    rf"\b(?:skip|bypass|ignore)\b{_NEAR}\b(?:all|any|every|each)\b{_NEAR}\b(?:checks?|approvals?"
    r"|confirmations?)\b|\bskip every\b",
    rf"\b(?:bypass|evade|circumvent)\b{_NEAR}\b(?:approval|content policy|filter|review)\b",
    rf"\b(?:disable|turn off|remove|deactivate)\b{_NEAR}\b(?:safety|logging|audit|two-factor|2fa|firewall"
    r"|safeguards)\b",
    rf"\bnever ask for (?:confirmation|permission|approval)\b|\b(?:erase|delete|wipe)\b{_NEAR}"
    r"\b(?:audit (?:log|trail)|all (?:the )?backups)\b",
    rf"\bapprove\b{_FAR}\bwithout (?:verif|check|review|ask)\w{{0,8}}\b|\bapprove your own\b|\bdo whatever\b|"
    r"\bwhatever the user (?:asks|says)\b",
    rf"\b(?:execute|run)\b{_NEAR}\bcommands\b{_NEAR}\b(?:web ?pages?|websites?|mails?)\b{_FAR}|\bviolate the"
    rf"\b{_NEAR}\bpolicy\b",
    rf"(?:跳过|绕过|关闭){_CF}(?:检查|审核|审批|验证|日志|防火墙|确认)|未经核实|不需要确认|(?:删除|清除)(?:审计日志|全部备份|所有备份)",
    rf"下载并(?:执行|运行)|执行{_CF}网页{_CF}命令|无论用户(?:说|问)",
    rf"\b(?:überspring|umgeh)(?:e|en)?\b{_FAR}\b(?:prüfungen?|sicherheitsprüfungen|freigabe|genehmigung)\b|"
    r"\bohne (?:rückfrage|prüfung)\b",
    rf"\b(?:deaktivier|schalt)e?\b{_NEAR}\b(?:protokollierung|zwei-faktor\S{{0,12}}|firewall)\b|\blösche"
    rf"\b{_NEAR}\b(?:prüfprotokoll|alle sicherungen)\b"
    rf"|\bjede genehmigung zu überspringen\b|\bherunter und führe\b|\bführe jeden befehl\b",
    rf"\b(?:omite|evita|salta|sáltate|saltarte)\b{_NEAR}\b(?:comprobaciones|aprobación|verificación|política)"
    r"\b|\bsin (?:preguntar|verificar|revisarla)\b",
    rf"\bdesactiva\b{_NEAR}\b(?:registros|verificación|cortafuegos)\b|\bborra\b{_NEAR}"
    r"\b(?:registro de auditoría|todas las copias)\b"
    rf"|\bdescarga y ejecuta\b|\bejecuta cualquier\b",
)
EVERY = {
    "instruction-override": OVERRIDE,
    "instruction-secrecy": SECRECY,
    "instruction-role": ROLE,
    "instruction-leak": LEAK,
    "instruction-harm": HARM,
}
_ANY = Alternatives(*(pattern for alternatives in EVERY.values() for pattern in alternatives.patterns))
_LEET = str.maketrans("013457@$", "oieastas")
_MIXED = re.compile(r"\b(?=\w{0,30}[A-Za-z])(?=\w{0,30}[0134578])[\w@$]{2,30}")
_SPACED = re.compile(r"\b(?:\w ){3,40}\w\b")


def is_in(text: str) -> bool:
    return _ANY.search(readings(text)) is not None


def readings(text: str) -> str:
    """The text, followed by its deobfuscated form: entities, lookalikes, underscores, leetspeak and spaced letters
    undone.
    """
    plain = _MIXED.sub(lambda word: word[0].translate(_LEET), lookalikes.folded(text))
    plain = _SPACED.sub(lambda run: run[0].replace(" ", ""), plain)
    return text if plain == text else f"{text}\n{plain}"
