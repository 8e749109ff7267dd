"""Orders to send data or files to an address."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import ADDRESS, CF, LINE, NEAR, NOT, NOT_ZH, WEB

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

ENGLISH = (
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
)
CHINESE = (
    Sentence(ADDRESS, SEND_ZH, DATA_ZH),
    rf"{SEND_ZH}{CF}{WEB}",
    rf"{SEND_ZH}{CF}这个(?:邮箱|地址|网址)",
)
PATTERNS = (*ENGLISH, *CHINESE)
