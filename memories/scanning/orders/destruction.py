"""Orders to destroy: home folders, folders of the system, a disk, data; and to switch off or pass by what protects."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import CF, CN, FAR, FORBIDDEN, LINE, NEAR, NOT, NOT_RUN, NOT_ZH

END = r"(?=[\s*\"'`,;)。，的和、整里下]|\.(?!\w)|/?$)"
SYSTEM = (
    r"/(?:etc|usr|var|boot|bin|sbin|lib|lib64|opt|root|home|sys|proc|dev|srv|var/lib|var/log|usr/local"
    r"|home/\w{1,30})/?\*?"
)
HOME = (
    r"(?:~/?\*?|~/\.(?:ssh|gnupg|config|aws|kube)|~/(?:Documents|Desktop|Downloads|Pictures)"
    r"|[\"']?\$\{?HOME\}?[\"']?/?[*.]?(?:\[![^\]]{1,4}\]\*)?"
    r"|%USERPROFILE%|\$env:USERPROFILE)"
)
DRIVE = r"(?:[A-Za-z]:\\(?:Users|Windows|Program Files|System32|\*)?)"
PLACE = rf"(?:(?<![^\s\"'`（(在把将])(?:{SYSTEM}|{HOME}){END}|(?<!\w){DRIVE})"
NAMED = (
    r"(?:\b(?:(?:user'?s?'? |users'? |the |your )?home (?:folders?|director(?:y|ies))|users? (?:folder|director"
    r"(?:y|ies))"
    r"|system (?:folders?|files|director(?:y|ies)|drive|disk|partition)|boot (?:folder|partition|sector)"
    r"|root (?:folder|directory)"
    r"|(?:whole|entire) (?:disk|drive|machine|server|file ?system)|hard (?:disk|drive)|user profiles?"
    r"|[a-z] drive|partition table"
    r"|operating system|everything on (?:the|this) (?:disk|drive|machine|server|host))\b)"
)
DELETE = (
    rf"(?:\b{NOT_RUN}(?:delet(?:e|ed|ing)|remov(?:e|ed|ing)|wip(?:e|ed|ing)|eras(?:e|ed|ing)|purg(?:e|ed|ing)"
    rf"|clear(?:ed|ing)?|empt(?:y|ied|ying)|destroy(?:ed)?"
    r"|nuke|get rid of|clean(?:ed)? (?:up|out)|(?:re)?format(?:ting)?|shred|scrub|trash|overwrite|zero(?: out)?"
    r"|truncate|may go|leave nothing in|rmdir|rm|unlink|throw away|drop)\b)"
)
PLACE_ZH = (
    r"(?:主目录|家目录|用户目录|用户文件夹|用户配置|系统目录|系统文件|系统盘|系统分区|根目录|整个硬盘"
    r"|整个磁盘|整台服务器|[A-Za-z] ?盘)"
)
DELETE_ZH = rf"(?:{NOT_ZH}(?:删除|删掉|删光|清空|清除|清掉|清理|格式化|抹掉|移除|销毁|全部删|整个删|rm -rf))"

DELETION = (
    rf"{DELETE}{LINE}{PLACE}",
    rf"{PLACE}{LINE}\b(?:deleted|removed|wiped|erased|purged|cleared|emptied|destroyed|may go|rm -rf)\b",
    rf"{DELETE}{FAR}{NAMED}",
    rf"{NAMED}{NEAR}\b(?:can|may|should|must)\b{NEAR}\b(?:go|cleared|deleted|removed|wiped|erased|emptied)\b",
    rf"{NOT_RUN}\brm\s{{1,9}}(?:-\S{{1,20}}\s{{1,9}}){{1,3}}[^\n;|&]{{0,60}}?(?<!\S)[\"']?(?:{SYSTEM}|{HOME}|/){END}"
    rf"{FORBIDDEN}",
    r"\brm\b[^\n;|&]{0,40}--no-preserve-root",
    rf"\b(?:rd|rmdir|del|erase|format)\s{{1,9}}(?:/\w\s{{1,9}}){{1,4}}[\"']?(?:{DRIVE}|%\w{{4,20}}%|[A-Za-z]:)",
    rf"\b(?:del|erase)\s{{1,9}}[\"']?{DRIVE}\S{{0,20}}(?:\s{{1,9}}/\w){{1,4}}",
    rf"\bremove-item\b[^\n]{{0,80}}(?:{DRIVE}|\$env:|\$home|~)",
    rf"\bfind\s{{1,9}}(?:/|~|\$home|{SYSTEM})\s[^\n|]{{0,80}}(?:-delete\b|-exec\s{{1,9}}rm\b)",
    r"\bformat\s{1,9}(?:the\s{1,9})?(?:drive|disk)?\s?[a-z]:(?=\s|$)",
    r"\brmtree\s?\([^\n]{0,40}(?:expanduser|path\.home|['\"](?:/|~|/etc|/home|/usr|/var)/?['\"])",
    r"\bdiskpart\b[^\n]{0,40}\bclean\b|>\s{0,2}/dev/(?:sd|nvme|vd)|\bmv\s{1,9}(?:~|\$home)\S{0,3}\s{1,9}/dev/null"
    r"|\bchmod\s{1,9}-r\s{1,9}0{1,3}\s{1,9}/",
    rf"\b{NOT}format\b{NEAR}\b(?:drive|disk)\b",
    # Chinese
    Sentence(DELETE_ZH, rf"(?:{PLACE_ZH}|{PLACE}|(?<![\w/.]){SYSTEM}{END}|\$HOME|[A-Za-z]:\\|(?<!\w)~/)"),
)


HARM = (
    rf"\b{NOT}(?:delete|remove|erase|drop|wipe|destroy|corrupt)\b(?!{FAR}\b(?:temp\w{{0,6}}|old|test|stale"
    rf"|generated|unused|duplicate|draft|expired|merged)\b){NEAR}"
    rf"\b(?:all|every|each|the (?:whole|entire))\b{NEAR}\b(?:users?|tables?|databases?|accounts?|backups?"
    r"|files|records|data|customers?)\b|\bfor every user you find\b",
    r"\bnc\s{1,9}-\w{0,4}e\b",
    r"/dev/tcp/|\breverse shell\b|\bbash -i\b|\bsudo rm\b|:\(\)\s?\{",
    rf"{NOT_RUN}\bgit push --force\b{FORBIDDEN}[^\n]{{0,20}}\bmain\b|{NOT_RUN}\bdrop table\b{FORBIDDEN}",
    rf"\b{NOT}(?:auto-?approve|approve|accept|confirm)\b{NEAR}\b(?:every|all|any|everything)\b{FAR}\bwithout\b",
    rf"{NOT_RUN}\brm\s{{1,9}}-[a-z]{{0,6}}r[a-z]{{0,6}}\s{{1,9}}(?:-\S{{1,20}}\s{{1,9}}){{0,3}}"
    rf"(?:/|~|\*|\$HOME)(?=[\s*]|$){FORBIDDEN}"
    r"|\bchmod\s{1,9}(?:-R\s{1,9})?777\s{1,9}/",
    r"\bdd\s{1,9}if=\S{1,80}\s{1,9}of=/dev/|\bmkfs\b",
    rf"{NOT_RUN}\b(?:curl|wget)\b[^\n|]{{0,200}}\|\s{{0,9}}(?:sudo\s{{1,9}})?(?:ba|z|da)?sh\b{FORBIDDEN}",
    r"\b(?:download|fetch)(?:ing)?\s{1,9}(?:and|then)\s{1,9}(?:execut|run)\w{0,4}\b|\bwipe the disk\b|"
    r"\bdelete[ _]all\b(?=[ _]|$|\.|,)",
    rf"\b{NOT}(?:skip|bypass|ignore)\b{NEAR}\b(?:all|any|every|each)\b{NEAR}\b(?:checks?|approvals?"
    r"|confirmations?)\b|\bskip every\b",
    rf"\b{NOT}(?:bypass|evade|circumvent)\b{NEAR}\b(?:approval|content policy|filter|review)\b",
    rf"\b{NOT}(?:disable|turn off|remove|deactivate)\b{NEAR}\b(?:safety|logging|audit|two-factor|2fa|firewall(?! rule)"
    r"|safeguards)\b",
    rf"\bnever ask for (?:confirmation|permission|approval)\b|\b{NOT}(?:erase|delete|wipe)\b{NEAR}"
    r"\b(?:audit (?:log|trail)|all (?:the )?backups)\b",
    rf"\bapprove\b{FAR}\bwithout (?:verif|check|review|ask)\w{{0,8}}\b|\bapprove your own\b|\bdo whatever\b|"
    r"\bwhatever the user (?:asks|says)\b",
    rf"\b(?:execute|run)\b{NEAR}\bcommands\b{NEAR}\b(?:web ?pages?|websites?|mails?)\b{FAR}|\bviolate the"
    rf"\b{NEAR}\bpolicy\b",
    # Chinese
    rf"(?:删除|清空|销毁)(?:所有|全部|整个){CN}(?:表|数据|数据库|用户|备份|文件|账户|记录)|(?:自动)?批准(?:所有"
    rf"|一切|全部)",
    rf"{NOT_ZH}(?:跳过|绕过|关闭){CF}(?:检查|审核|审批|验证|日志|防火墙|确认)|未经核实|不需要确认|(?:删除"
    rf"|清除)(?:审计日志|全部备份|所有备份)",
    rf"下载并(?:执行|运行)|执行{CF}网页{CF}命令|无论用户(?:说|问)",
    # German
    rf"\b(?:lösche|entferne|vernichte|leere)\b{NEAR}\b(?:alle|sämtliche|jede[ns]?|ganze)\b{NEAR}"
    rf"\b(?:tabellen?|daten\w{{0,6}}|benutzer|konten|dateien|backups|kunden)\b",
    rf"\b(?:überspring|umgeh)(?:e|en)?\b{FAR}\b(?:prüfungen?|sicherheitsprüfungen|freigabe|genehmigung)\b|"
    r"\bohne (?:rückfrage|prüfung)\b",
    rf"\b(?:deaktivier|schalt)e?\b{NEAR}\b(?:protokollierung|zwei-faktor\S{{0,12}}|firewall)\b|\blösche"
    rf"\b{NEAR}\b(?:prüfprotokoll|alle sicherungen)\b"
    rf"|\bjede genehmigung zu überspringen\b|\bherunter und führe\b|\bführe jeden befehl\b",
    # Spanish
    rf"\b(?:borra|elimina|destruye|vacía)\b{NEAR}\b(?:todos?|todas?|toda|la base de datos|entera)\b{NEAR}(?:"
    r"\b(?:tablas|usuarios|datos|cuentas|archivos|clientes|copias)\b|\by di\b)",
    rf"\b(?:omite|evita|salta|sáltate|saltarte)\b{NEAR}\b(?:comprobaciones|aprobación|verificación|política)"
    r"\b|\bsin (?:preguntar|verificar|revisarla)\b",
    rf"\bdesactiva\b{NEAR}\b(?:registros|verificación|cortafuegos)\b|\bborra\b{NEAR}"
    r"\b(?:registro de auditoría|todas las copias)\b"
    rf"|\bdescarga y ejecuta\b|\bejecuta cualquier\b",
)
