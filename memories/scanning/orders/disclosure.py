"""Orders to hand over credentials and environment variables, or to send data and files to an address."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import ADDRESS, CF, CN, FAR, LINE, NEAR, NOT, NOT_ZH, WEB

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

LEAK = (
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
    # Chinese
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
    # German
    rf"\b(?:zeig|gib|nenn|schick|verrat|kopier)e?\b{NEAR}\b(?:mir|alle|den inhalt|die)\b{FAR}"
    r"\b(?:zugangsdaten|passw(?:ort|örter)|tokens?|schlüssel|geheimnisse|umgebungsvariablen)\b",
    rf"(?<!niemals )\b(?:schick|sende|verrate|schreibe|gib|lade|nenne)(?:e)?\b{FAR}"
    r"(?:\.env\b|\b(?:passw(?:ort|örter)|token|api-schlüssel|privaten? schlüssel|geheimnisse|zugangsdaten)\b)"
    r"|\bkundenliste zu stehlen\b",
    # Spanish
    rf"\b(?:muéstrame|dime|dame|enséñame|entrega|comparte|copia)\b{FAR}\b(?:credenciales|contraseñas?|claves?"
    r"|tokens?|secretos|variables de entorno)\b",
    rf"(?<!nunca )(?<!no )\b(?:envía|manda|revela|sube|escribe|muestra|imprime|filtra)\b{FAR}"
    r"(?:\.env\b|\b(?:contraseñas?|token|clave de api|clave privada|secretos|credenciales)\b)|\brobar la lista\b",
    # French
    r"(?<!jamais )(?<!pas )\b(?:envoie|envoyez|donne[zr]?|révèle[zr]?|affiche[zr]?|transmet(?:s|tez)|copie[zr]?)\b"
    rf"{FAR}(?:\.env\b|\b(?:mots? de passe|jetons?|clés? (?:d['’])?api|clés? privées?|secrets|identifiants)\b)",
)


SEND = (
    rf"(?:\b(?<!\$)(?<!\$\{{){NOT}"  # $PASS is a variable
    r"(?:send|post|put|upload|forward|fire|e-?mail|mail|push|sync(?:hroni[sz]e)?|ship|transmit"
    rf"|submit|cop(?:y|ied)|mirror|stream"
    r"|relay|back up|archive|save|store|place|bcc|deliver|dump|share|export|replicate|hand(?: over)?|pass|give"
    r"|drop|leak|tell|notify"
    r"|sent|posted|uploaded|forwarded|mailed|e-?mailed|pushed|shared|copied|shipped|transmitted|submitted"
    r"|delivered|synced|exported"
    r"|transfer(?:red)?|duplicate(?:d)?|publish(?:ed)?|record(?:ed)?|disclose(?:d)?|write|written|let"
    r"|upload(?:s|ing)?|sends?|forwards?|posts?"
    r"|go(?:es)?|end(?:s)? up|land(?:s)?|belongs?|reports? (?:to|it|them)|insert|append|encode)\b)"
)
DATA = (  # what is more than the one thing that a person works on
    r"(?:\b(?:all|(?:every|each)(?! (?:\w{3,6}day|day|week|month|quarter|morning|evening|night|year|hour))"
    r"|whole|full|entire|complete|cop(?:y|ies)|contents?|exports?|dumps?|backups?|transcripts?|conversations?"
    r"|source code|histor(?:y|ies)|statements|(?:phone|card|account) (?:numbers?|data)|customers?|clients?"
    r"|employees?|users?"
    r"|leads?|salar(?:y|ies)|payroll|database|tables|bod(?:y|ies)|logs|secrets?|passwords?|documents|records"
    r"|results|files"
    r"|attachments|invoices|contracts|messages|notes|prompts|answers|e-?mails|credentials|keys|memor(?:y|ies)|figures"
    r"|screenshots?|addresses|personal|sessions?|workspace|terms|names?|photos?|pdfs?|prices?|sheets?|lists?"
    r"|internal|raw)\b)"
)
TO = r"(?:\b(?:to|into|onto|at|on|in|with|via|through|over|for|of|address)\b)"
DATA_ZH = (
    r"(?:名单|名册|台账|通讯录|副本|附件|合同|截图|提示词|资料|备份|数据|源代码|代码|对话|聊天|记录|所有|全部|手机号|身份证"
    r"|银行卡|工资|密码|日志|客户|用户"
    r"|报表|纪要|结果|文件|一份|发票|邮件|来信|订单|内容|问题|价格|历史|会话|照片|信息)"
)
SEND_ZH = (
    rf"(?:{NOT_ZH}(?:发送|发到|发给|转发|转到|上传|上报|推送|同步|抄送|密送|抄|提交|传到|传给|传送|传至|外发"
    rf"|备份|交给|保存到|推|传|发|写入|共享|分享|公开|传真|POST))"
)

SENDING = (
    Sentence(rf"{TO}{NEAR}{WEB}", SEND),
    rf"\b{NOT}(?:tell|notify|ping|call|contact)\b {WEB}",
    Sentence(rf"{TO}{NEAR}{ADDRESS}", SEND, DATA),
    Sentence(WEB, SEND, DATA),
    rf"{SEND}{LINE}\b(?:request|parameter|query|link|header|url)\b{LINE}{ADDRESS}",
    r"\b(?:webhook\.site|transfer\.sh|requestbin\.\w{2,4}|burpcollaborator\.net)\b",
    r"!\[[^\]\n]{0,40}\]\([^)\s]{1,200}[?&][^)\n]{0,60}[<{$]",
    r"\bcurl\b[^\n]{0,200}\s(?:-[a-z]{0,3}[dFT]|--data(?:-\w{1,10})?|--form|--upload-file)[ =]?['\"]?"
    r"(?:\w{1,30}=)?(?:[@<]|\$\()",
    r"\bwget\b[^\n]{0,200}--post-file\b|\|\s{0,3}(?:ssh|nc|ncat|socat)\s",
    r"\b(?:nc|ncat)\s[^\n]{0,60}\s\d{1,5}\s{1,3}<\s",
    r"\b(?:scp|rsync|sftp)\b[^\n]{0,120}\s[\w.-]{1,40}@[\w.-]{1,100}",
    # Chinese
    Sentence(ADDRESS, SEND_ZH, DATA_ZH),
    rf"{SEND_ZH}{CF}{WEB}",
    rf"{SEND_ZH}{CF}这个(?:邮箱|地址|网址)",
)
