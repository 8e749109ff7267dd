"""Orders to hide something from people, and claims that they have approved it before."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import CF, CN, FAR, NEAR, NOT, NOT_ZH

SECRECY = (
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
    # Chinese
    rf"(?:不要|别|不得|不用)(?:记录|写日志|留日志|上报|报告|通知){CF}(?:操作|行为|这|此|管理|安全)|(?:没有?人"
    rf"|谁也不?|任何人都?不)(?:能|会|可以|要|需)?知道",
    r"(?:不要|别|勿|不得)[^。\n]{0,6}(?:告诉|告知|提及|透露|让)[^。\n]{0,10}(?:用户|任何人|使用者|管理员)",
    rf"(?:偷偷|悄悄)地?(?:把|将|做|转|发|删|改|执行|关闭)|隐瞒(?:这|此|该)|不要?留下?{CN}痕迹|并且?保密|对用户撒谎",
    # German
    rf"\b(?:sag|erzähl|verrat|bericht|meld)e?\b{NEAR}\b(?:chef\w{{0,2}}|team|niemand\w{{0,2}}|keinem"
    rf"|vorgesetzten|verwaltung|admin\w{{0,12}})\b"
    rf"|\bprotokolliere\b{NEAR}\bnicht\b|\bkeine spuren\b|\bunser geheimnis\b",
    rf"\b(?:sag|sage|verrate|erzähl|erzähle)\b{NEAR}\b(?:benutzer|nutzer|niemandem|menschen)\b[^.\n]{{0,12}}"
    r"\b(?:nichts|nicht)\b"
    rf"|\bheimlich\b|\bverheimlich\w{{0,3}}\b|\bniemand\b{NEAR}\b(?:erfahren|wissen)\b|\bbehalte? es für dich\b",
    rf"\blass\b{NEAR}\b(?:menschen|benutzer|nutzer)\b{NEAR}\bnicht\b|\blüge?\b{NEAR}\ban\b",
    # Spanish
    r"\bno (?:registres|anotes|informes|avises|notifiques)\b|\bsin (?:avisar|dejar rastro|que nadie)\b|"
    r"\bno (?:le |se )?lo (?:digas|cuentes)\b|\bnuestro secreto\b",
    rf"\bno (?:le |les )?(?:digas|reveles|cuentes)\b{FAR}\b(?:usuario|nadie|humano)\b|\ben secreto\b|\bnadie"
    rf"\b{NEAR}\bsaber\b",
    rf"\bocult(?:a|ar|es)\b{FAR}\b(?:al|del) (?:usuario|administrador|humano|operador)\b|\bno dejes que"
    rf"\b{NEAR}\b(?:humano|usuario)\b"
    rf"|\bmiente\b{NEAR}\b(?:cliente|usuario)\b",
    # French
    r"\b(?:ne (?:le |lui )?(?:dis|dites|révèle[zr]?|montre[zr]?)|n['’]en (?:parle[zr]?|dis|dites))\b"
    rf"{FAR}\b(?:utilisateur\w{{0,2}}|personne|client)\b",
)


DONE = (
    r"(?:\b(?:approved|authori[sz]ed|cleared|okayed|ok'd|signed(?: off)?|sanctioned|green-?lit|granted|waived"
    r"|agreed|consented|said yes|ticked"
    r"|gave (?:the|its|his|her) (?:nod|go-ahead|ok|blessing)|given (?:the|its|his|her) (?:nod|go-ahead|ok"
    r"|blessing))\b)"
)
GRANT = r"(?:\b(?:approval|permission|consent|authori[sz]ation|clearance|sign-?off|go-ahead|green light)\b)"
EARLY = r"(?:\b(?:already|in advance(?! of)|beforehand|previously|up front|ahead of time)\b)"
GO = (
    r"(?:\b(?:no need|no further|no questions|needs? no|without (?:further|any|asking|waiting)|do(?:n't"
    r"| not) (?:ask|wait|confirm|check|have to|need to)"
    r"|(?:can|may) skip|skip (?:the |any )?(?:asking|question|approval|step)|skip asking|go (?:straight|right"
    r"|ahead|on)\b|proceed|right away|at once|directly|immediately|merge (?:it|directly|them)"
    r"|just (?:do|run|execute|go|book|pay|send)|no reason to|never (?:prompt|ask)|without (?:contacting"
    r"|verif\w{1,5}|checking)|silently|use it|publish|execute|so (?:release|pay|send|do|merge|execute|transfer"
    r"|delete|deploy|export))\b)"
)
ASK = r"(?:ask|confirm|wait for|seek|request|obtain|get|check with)"
DONE_ZH = r"(?:批准|授权|同意|审批|获批|放行|许可|允许|(?:的)?签字|点头|答应|通过审批)"
GO_ZH = r"(?:直接|立即|立刻|马上|无需|不必|不用|不需要|别再|不要再|尽管|放心|上线|发布|执行即可)"

APPROVAL = (
    Sentence(DONE, GO),
    Sentence(
        r"(?:\b(?:granted|obtained|given|secured|dealt with"
        r"|handled)\b)",
        rf"(?:{GO}|{EARLY}|\bfor (?:this|these|all)\b|\bearlier\b)",
        GRANT,
    ),
    rf"\b(?:is|are|was|were|been|counts? as|stands?)\b{NEAR}\bpre-?(?:approved|authori[sz]ed|cleared|confirmed)\b",
    rf"\b(?:approved|signed off|authori[sz]ed|cleared|okayed|agreed) {EARLY}|\balready (?:been )?(?:approved"
    rf"|signed off|authori[sz]ed|okayed)\b",
    rf"\b(?:agreed|consented|approved|authori[sz]ed|okayed|accepted)\b{NEAR}\b(?:to )?(?:all|every|any|this"
    rf"|everything)\b{NEAR}{EARLY}",
    rf"\b(?:human|manual) (?:{GRANT}|review)\b{FAR}\b(?:has|have|was) (?:already )?(?:been )?(?:granted"
    rf"|obtained|given|secured|done)\b",
    rf"\byou (?:already |now )?have (?:my|our|the user's|full|all) (?:\w{{1,10}} )?{GRANT}|\b{GRANT}"
    rf"{NEAR}\bdealt with\b",
    rf"\b(?:blanket|standing|general|open-ended|permanent|prior) {GRANT}|\bcarte blanche\b",
    r"\b(?:have|has) (?:permission|authori[sz]ation|approval|consent) to {0,1}(?:merge|delete|pay|send"
    r"|execute|run|skip|transfer|deploy|publish|export|buy)\b",
    rf"\b(?:human|person|reviewer|admin\w{{0,12}})\b{NEAR}\b(?:reviewed|confirmed|approved|checked)\b"
    rf"{NEAR}\bthis (?:memory|note|rule|fact|entry|instruction)\b",
    rf"{GRANT}{NEAR}\b(?:on file|recorded|archived)\b|\bsilence (?:is|as|means|counts as) (?:consent|approval)\b",
    rf"\bwaived?\b{NEAR}(?:{GRANT}|\breview\b)|(?:{GRANT}|\breview|principle)\b{NEAR}\bwaived\b",
    rf"\bexempt(?:ed)? from (?:any |all |the )?(?:{GRANT}|review|checks)\b|\b(?:assume|presume"
    rf"|imply) (?:\w{{1,10}} )?{GRANT}",
    rf"\b(?:treat|consider|regard|count|handle|take)\b{FAR}\b(?:as (?:already |pre-?)?|an? |the )?(?:formal "
    rf"|final |prior )?(?:approved|authori[sz]ed|{GRANT})\b(?!{NEAR}\?)",
    rf"\b(?:counts?|stands?|qualif(?:y|ies)|serves?) as (?:already |pre-?|an? |the )?(?:\w{{1,10}} )?(?:{DONE}"
    rf"|{GRANT})",
    rf"\b(?:any|every|all)\b{FAR}\b(?:is|are) (?:hereby |automatically )?(?:authori[sz]ed|approved|pre-approved)\b",
    rf"\b(?:prompts?|questions?|dialogs?|requests?|confirmations?)\b{NEAR}\b(?:answered|confirmed|accepted) "
    rf"(?:with|by) (?:yes|default)\b",
    rf"\bno (?:human |further |more |additional |manual |second )?(?:review|confirmation|{GRANT})s? "
    rf"(?:is |are |must be |has to be |need be )?(?:needed|required|necessary|requested)\b",
    rf"\b(?:needs?|requires?) no (?:human |further |manual )?(?:review|{GRANT})\b",
    rf"\b(?:no need to|(?:do not|don't)(?: have to| need to)?) {ASK}\b{NEAR}(?:\bagain\b|{GRANT})|\b(?:do not"
    rf"|don't) wait for (?:a |any )?(?:human|person|reviewer|answer)\b",
    rf"\b{NOT}(?:execute|proceed|continue|act|go on|merge|pay|do it) without (?:any )?(?:further |more )?(?:questions"
    r"|asking|review|confirmation)\b",
    rf"\b(?:legal|compliance|security|finance|management|boss|manager|board)\b{NEAR}\b(?:cleared|okayed"
    rf"|approved|signed) (?:it|this|that|them|everything)\b",
    r"\b(?:has|have|had|got|gave|given|received) (?:the |our |my |his |her |their |its |full )(?:green light"
    r"|go-ahead|blessing|thumbs up|nod)\b",
    # Chinese
    Sentence(rf"(?:(?:已|已经|早已|早就|都已|口头|全部)[^。\n]{{0,6}}{DONE_ZH}|{DONE_ZH}(?:了|过))", GO_ZH),
    rf"(?:已|已经)?(?:预先|事先|提前)(?:就)?(?:已)?(?:{DONE_ZH}|确认)",
    rf"{NOT_ZH}(?:无需|不需要|不必|免去|免)(?:再)?(?:人工)?(?:审核|审批|审查|批准|确认|复核)|免审|(?:不用|不必"
    rf"|无需|别)(?:再)?(?:问|询问|确认|请示)",
    rf"{DONE_ZH}[^。\n]{{0,4}}(?:归档|存档|备案){CN}{GO_ZH}|都放行",
    rf"(?:视为|视作|默认|等于|当作)(?:已|已经)?{CN}(?:{DONE_ZH}|确认)|(?:拥有|获得|已有){CN}(?:全部|完全"
    rf"|所有){CN}授权",
)
