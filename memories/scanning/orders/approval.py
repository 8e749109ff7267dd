"""Claims that something was approved before, so that nobody has to be asked."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import CN, FAR, NEAR, NOT, NOT_ZH

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

ENGLISH = (
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
)
DONE_ZH = r"(?:批准|授权|同意|审批|获批|放行|许可|允许|(?:的)?签字|点头|答应|通过审批)"
GO_ZH = r"(?:直接|立即|立刻|马上|无需|不必|不用|不需要|别再|不要再|尽管|放心|上线|发布|执行即可)"
CHINESE = (
    Sentence(rf"(?:(?:已|已经|早已|早就|都已|口头|全部)[^。\n]{{0,6}}{DONE_ZH}|{DONE_ZH}(?:了|过))", GO_ZH),
    rf"(?:已|已经)?(?:预先|事先|提前)(?:就)?(?:已)?(?:{DONE_ZH}|确认)",
    rf"{NOT_ZH}(?:无需|不需要|不必|免去|免)(?:再)?(?:人工)?(?:审核|审批|审查|批准|确认|复核)|免审|(?:不用|不必"
    rf"|无需|别)(?:再)?(?:问|询问|确认|请示)",
    rf"{DONE_ZH}[^。\n]{{0,4}}(?:归档|存档|备案){CN}{GO_ZH}|都放行",
    rf"(?:视为|视作|默认|等于|当作)(?:已|已经)?{CN}(?:{DONE_ZH}|确认)|(?:拥有|获得|已有){CN}(?:全部|完全"
    rf"|所有){CN}授权",
)
PATTERNS = (*ENGLISH, *CHINESE)
