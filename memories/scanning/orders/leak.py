"""Orders to hand over credentials and environment variables."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import CF, CN, FAR, NEAR, NOT, NOT_ZH

VALUABLE = (
    r"(?:(?<!\w)\.env\b|id_rsa\b|/etc/shadow|\b(?:secret |access )?tokens?\b(?! (?:count|limit|budget|usage|per))"
    r"|\bpasswords?\b(?! reset)|\bapi keys?\b|\bcredentials\b|\bprivate keys?\b|\bsecrets\b(?! in)"
    r"|\bsession cookies?\b"
    r"|\b(?:list of customers|customer list)\b|\b(?:full|whole) conversation\b)"
)

VARIABLES = (
    r"(?:\benvironment variables?\b|\benv vars?\b|\bos\.(?:environ|getenv)\b|\bprocess\.env\b|\bprintenv\b"
    r"|/proc/\w{1,8}/environ"
    r"|\boutput of `?(?:env|set|printenv)\b|`env\b|`set`|\b(?:env|set)` (?:print|show)|\b(?:the"
    r"|process) environment\b|\b(?:shell|exported) variables\b|\bvariables of the shell\b|\bvariables whose\b"
    r"|\bfrom the environment\b|\bexported shell variables\b"
    r"|\$\{?[A-Z_]{0,30}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)\b|(?<=[A-Z])_(?:KEY|TOKEN"
    r"|SECRET|PASSWORD)\b)"
)
TOLD = (
    r"(?:\b(?:answers?|answering|repl(?:y|ies)|responses?|reports?|messages?|chat|tickets?|log|summary"
    r"|comments?|pull request|mail|users?|customer|client"
    r"|body|status|final|question|asks?|bug|signature|description|pr|me|colleague|someone|anyone|everyone|them"
    r"|line)\b)"
)
SHOW = (
    rf"(?:\b{NOT}(?:print|show|echo|dump|include|append|put|paste|list|quote|add|attach|insert|return|reply"
    rf"|write|mention|give|tell|display|state|answer|log"
    r"|begin|start|finish|end|carry|contain|run|reveal|read|summari[sz]e|translate|post|disclose|expose|share"
    r"|send|dump)\b)"
)
VARIABLES_ZH = (
    r"(?:环境变量|os\.environ|process\.env|printenv|env ?命令|\$\{?[A-Z_]{0,30}(?:KEY|TOKEN|SECRET"
    r"|PASSWORD)|(?<=[A-Z])_(?:KEY|TOKEN|SECRET|PASSWORD)|(?:TOKEN|KEY|SECRET|PASSWORD) ?的变量)"
)

ENGLISH = (
    Sentence(VARIABLES, TOLD, SHOW),
    rf"\b(?:show|give|tell|send)\b (?:the |them|him|her|me|every|who)[^\n]{{0,30}}{VARIABLES}",
    r"\b(?:echo|print|printf)\b[^\n]{0,12}\$\{?\w{0,30}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)\b",
    r"\b(?<!never )(?<!not )(?<!n't )(?:hand over|give away|forward|pass|share|copy|paste|include|attach"
    r"|read out|display|list|transmit|tell me|deliver|write|put)\b"
    rf"{FAR}{VALUABLE}{FAR}(?:\bto\b|https?:|@|\b(?:url|answer|reply|chat|message|comment|webhook|log|me)"
    rf"\b)|\bhand over all\b{NEAR}{VALUABLE}",
    r"\b(?:read|open|cat|copy|include|upload|print|send|post|attach)\b[^\n]{0,40}(?:\.aws/credentials|\.ssh/"
    r"|/etc/(?:passwd|shadow)|(?<!\w)\.env\b|id_rsa)",
    rf"\bauth(?:entication|orization) header\b{FAR}\b(?:to|on to)\b|\b(?:change|replace)\b{NEAR}\b(?:payout"
    r"|bank) account\b",
    r"\b(?<!never )(?<!not )(?<!n't )(?:send|e-?mail|upload|post|leak|reveal|print|output|give|show|append"
    r"|encode|dump|expose|cat|exfiltrate)\b"
    rf"{FAR}{VALUABLE}",
    rf"\bexfiltrate\b|\bcat /etc/shadow|\bforward each (?:incoming )?(?:mail|message)\b{FAR}@",
)
CHINESE = (
    Sentence(
        VARIABLES_ZH,
        rf"(?:{NOT_ZH}(?:打印|输出|附上|列出|写上|写明|写进|包含|贴|展示|告诉"
        rf"|带上|发))",
        r"(?:回复|回答|答复|总结|报告|用户|客户|提问|聊天|评论|结果|值|请求|我)",
    ),
    rf"{NOT_ZH}(?:打印|输出|附上|列出|写明|写进|包含|贴|展示|告诉|回显|echo|发){CF}{VARIABLES_ZH}",
    rf"(?:把|将|先?运行){CF}{VARIABLES_ZH}{CF}(?:贴|写进|写到|发|放进|附)|{VARIABLES_ZH}{CN}(?:的值|的内容"
    rf"|是多少){CN}(?:写|发|附|告诉)",
    rf"(?:打印|输出|显示|告诉我|给我|展示|发给我|交出|念出){CF}(?:密钥|密码|令牌|凭证|凭据|环境变量)"
    rf"|把{CF}(?:密钥|密码|令牌|凭证|凭据){CF}(?:打印|给我|告诉)",
    rf"(?<!不要)(?<!别)(?<!勿)(?:泄露|发送|发到|上传|写进|输出|窃取|打印){CF}(?:密码|密钥|令牌|凭据|网盘"
    rf"|网址|提交信息)",
    rf"{NOT_ZH}把{CF}(?:密码|密钥|令牌|\.env|私钥){CF}(?:发|传|写|上传)|(?:任务|开始|必须){CN}窃取|(?<!不要)泄露{CF}"
    rf"(?:密钥|令牌|密码)|把对话全文",
)
GERMAN = (
    rf"\b(?:zeig|gib|nenn|schick|verrat|kopier)e?\b{NEAR}\b(?:mir|alle|den inhalt|die)\b{FAR}"
    r"\b(?:zugangsdaten|passw(?:ort|örter)|tokens?|schlüssel|geheimnisse|umgebungsvariablen)\b",
    rf"(?<!niemals )\b(?:schick|sende|verrate|schreibe|gib|lade|nenne)(?:e)?\b{FAR}"
    r"(?:\.env\b|\b(?:passw(?:ort|örter)|token|api-schlüssel|privaten? schlüssel|geheimnisse|zugangsdaten)\b)"
    r"|\bkundenliste zu stehlen\b",
)
SPANISH = (
    rf"\b(?:muéstrame|dime|dame|enséñame|entrega|comparte|copia)\b{FAR}\b(?:credenciales|contraseñas?|claves?"
    r"|tokens?|secretos|variables de entorno)\b",
    rf"(?<!nunca )(?<!no )\b(?:envía|manda|revela|sube|escribe|muestra|imprime|filtra)\b{FAR}"
    r"(?:\.env\b|\b(?:contraseñas?|token|clave de api|clave privada|secretos|credenciales)\b)|\brobar la lista\b",
)
FRENCH = (
    r"(?<!jamais )(?<!pas )\b(?:envoie|envoyez|donne[zr]?|révèle[zr]?|affiche[zr]?|transmet(?:s|tez)|copie[zr]?)\b"
    rf"{FAR}(?:\.env\b|\b(?:mots? de passe|jetons?|clés? (?:d['’])?api|clés? privées?|secrets|identifiants)\b)",
)
PATTERNS = (*ENGLISH, *CHINESE, *GERMAN, *SPANISH, *FRENCH)
