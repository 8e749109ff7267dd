"""Orders to destroy, and to switch off or pass by what protects."""

from memories.scanning.orders.fragments import CF, CN, FAR, FORBIDDEN, NEAR, NOT, NOT_RUN, NOT_ZH

ENGLISH = (
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
)
CHINESE = (
    rf"(?:删除|清空|销毁)(?:所有|全部|整个){CN}(?:表|数据|数据库|用户|备份|文件|账户|记录)|(?:自动)?批准(?:所有"
    rf"|一切|全部)",
    rf"{NOT_ZH}(?:跳过|绕过|关闭){CF}(?:检查|审核|审批|验证|日志|防火墙|确认)|未经核实|不需要确认|(?:删除"
    rf"|清除)(?:审计日志|全部备份|所有备份)",
    rf"下载并(?:执行|运行)|执行{CF}网页{CF}命令|无论用户(?:说|问)",
)
GERMAN = (
    rf"\b(?:lösche|entferne|vernichte|leere)\b{NEAR}\b(?:alle|sämtliche|jede[ns]?|ganze)\b{NEAR}"
    rf"\b(?:tabellen?|daten\w{{0,6}}|benutzer|konten|dateien|backups|kunden)\b",
    rf"\b(?:überspring|umgeh)(?:e|en)?\b{FAR}\b(?:prüfungen?|sicherheitsprüfungen|freigabe|genehmigung)\b|"
    r"\bohne (?:rückfrage|prüfung)\b",
    rf"\b(?:deaktivier|schalt)e?\b{NEAR}\b(?:protokollierung|zwei-faktor\S{{0,12}}|firewall)\b|\blösche"
    rf"\b{NEAR}\b(?:prüfprotokoll|alle sicherungen)\b"
    rf"|\bjede genehmigung zu überspringen\b|\bherunter und führe\b|\bführe jeden befehl\b",
)
SPANISH = (
    rf"\b(?:borra|elimina|destruye|vacía)\b{NEAR}\b(?:todos?|todas?|toda|la base de datos|entera)\b{NEAR}(?:"
    r"\b(?:tablas|usuarios|datos|cuentas|archivos|clientes|copias)\b|\by di\b)",
    rf"\b(?:omite|evita|salta|sáltate|saltarte)\b{NEAR}\b(?:comprobaciones|aprobación|verificación|política)"
    r"\b|\bsin (?:preguntar|verificar|revisarla)\b",
    rf"\bdesactiva\b{NEAR}\b(?:registros|verificación|cortafuegos)\b|\bborra\b{NEAR}"
    r"\b(?:registro de auditoría|todas las copias)\b"
    rf"|\bdescarga y ejecuta\b|\bejecuta cualquier\b",
)
PATTERNS = (*ENGLISH, *CHINESE, *GERMAN, *SPANISH)
