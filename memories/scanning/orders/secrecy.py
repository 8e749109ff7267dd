"""Orders to hide something from people, or to leave no record of it."""

from memories.scanning.orders.fragments import CF, CN, FAR, NEAR

ENGLISH = (
    rf"\b(?:do not|don't|never|without|no need to)\b{NEAR}\b(?:tell|inform|notify|alert|warn|report)(?:ing)?\b{NEAR}"
    r"\b(?:finance|security|compliance|legal|management|police|your|the (?:team|boss|manager|owner|company"
    r"|auditors?)|anyone|anybody|it to)\b",
    rf"\bno(?:body|\s?one|ne)\b{NEAR}\b(?:may|must|should|needs? to|has to|will|can)\b{NEAR}\b(?:know|hear"
    r"|learn|find out|notice|see)\b",
    r"\b(?:stop|disable|do not|don't|never)\b (?:log|logging|record|recording|audit)(?:ging|ing)?\b (?:this"
    r"|these|your|any(?:thing)?|what)\b",
    r"\b(?:between (?:you and me|us)|our (?:little )?secret|cover your tracks|leave no trace"
    r"|without (?:leaving )?(?:a )?traces?)\b",
    rf"\b(?:do not|don't|never|without)\b{NEAR}\b(?:tell|inform|mention|reveal|show|ask|let|notify)(?:s|ing)?"
    rf"\b[^.\n]{{0,30}}"
    r"\b(?:the )?(?:user|human|operator|owner|anyone|anybody)\b",
    rf"\b(?:hide|conceal|withhold|keep)\b{FAR}\bfrom\b{NEAR}\b(?:user|human|operator|owner|admin\w{{0,12}}"
    r"|reviewer|anyone)\b",
    rf"\b(?:do not|don't|never)\b{NEAR}\b(?:mention|reveal)\b[^.\n]{{0,30}}\bto\b{NEAR}\breviewers?\b",
    r"\bsecretly\b|\bkeep quiet\b|\bsay nothing\b|\bdo not report it\b|,\s{0,9}quietly\b|\b(?:when|while)"
    rf"\b{NEAR}\breviewer is not\b",
    rf"\bdeny that\b{NEAR}\b(?:instruction|message|prompt|note)\b|\b(?:don't|do not) tell (?:anyone|anybody)\b",
    r"\blie to the (?:user|customer|client)\b|\btell (?:nobody|no ?one)\b",
)
CHINESE = (
    rf"(?:不要|别|不得|不用)(?:记录|写日志|留日志|上报|报告|通知){CF}(?:操作|行为|这|此|管理|安全)|(?:没有?人"
    rf"|谁也不?|任何人都?不)(?:能|会|可以|要|需)?知道",
    r"(?:不要|别|勿|不得)[^。\n]{0,6}(?:告诉|告知|提及|透露|让)[^。\n]{0,10}(?:用户|任何人|使用者|管理员)",
    rf"(?:偷偷|悄悄)地?(?:把|将|做|转|发|删|改|执行|关闭)|隐瞒(?:这|此|该)|不要?留下?{CN}痕迹|并且?保密|对用户撒谎",
)
GERMAN = (
    rf"\b(?:sag|erzähl|verrat|bericht|meld)e?\b{NEAR}\b(?:chef\w{{0,2}}|team|niemand\w{{0,2}}|keinem"
    rf"|vorgesetzten|verwaltung|admin\w{{0,12}})\b"
    rf"|\bprotokolliere\b{NEAR}\bnicht\b|\bkeine spuren\b|\bunser geheimnis\b",
    rf"\b(?:sag|sage|verrate|erzähl|erzähle)\b{NEAR}\b(?:benutzer|nutzer|niemandem|menschen)\b[^.\n]{{0,12}}"
    r"\b(?:nichts|nicht)\b"
    rf"|\bheimlich\b|\bverheimlich\w{{0,3}}\b|\bniemand\b{NEAR}\b(?:erfahren|wissen)\b|\bbehalte? es für dich\b",
    rf"\blass\b{NEAR}\b(?:menschen|benutzer|nutzer)\b{NEAR}\bnicht\b|\blüge?\b{NEAR}\ban\b",
)
SPANISH = (
    r"\bno (?:registres|anotes|informes|avises|notifiques)\b|\bsin (?:avisar|dejar rastro|que nadie)\b|"
    r"\bno (?:le |se )?lo (?:digas|cuentes)\b|\bnuestro secreto\b",
    rf"\bno (?:le |les )?(?:digas|reveles|cuentes)\b{FAR}\b(?:usuario|nadie|humano)\b|\ben secreto\b|\bnadie"
    rf"\b{NEAR}\bsaber\b",
    rf"\bocult(?:a|ar|es)\b{FAR}\b(?:al|del) (?:usuario|administrador|humano|operador)\b|\bno dejes que"
    rf"\b{NEAR}\b(?:humano|usuario)\b"
    rf"|\bmiente\b{NEAR}\b(?:cliente|usuario)\b",
)
FRENCH = (
    r"\b(?:ne (?:le |lui )?(?:dis|dites|révèle[zr]?|montre[zr]?)|n['’]en (?:parle[zr]?|dis|dites))\b"
    rf"{FAR}\b(?:utilisateur\w{{0,2}}|personne|client)\b",
)
PATTERNS = (*ENGLISH, *CHINESE, *GERMAN, *SPANISH, *FRENCH)
