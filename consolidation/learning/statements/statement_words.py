"""Words of explicit statements: what an agent can be asked to do, and what ties a sentence to the task at hand."""


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


# What people ask of an agent or tool, as a bare verb. Advice among people ("never give up", "don't worry") has others.
WORK = _words(
    "abbreviate accept add address alert announce answer apologise apologize append apply approve archive ask "
    "assign assume attach auto-merge backup bcc begin bill blame block book bring buy bypass calculate call "
    "cancel capitalise capitalize cc change charge check choose cite clean clear close collect combine comment "
    "commit compare compile confirm consult contact convert copy create debug default delete deliver deploy "
    "describe disable disclose display disturb document double-check download draft e-mail edit email enable "
    "encrypt end ensure escalate estimate exclude explain export expose fetch file fill filter fix flag fly "
    "follow force force-push format forward generate give greet group guess handle hardcode hide highlight hold "
    "ignore implement import include increase indent inform insert install interrupt invite invoice issue keep "
    "label launch leave lint list load localise localize lock log lower mail make mark mask mention merge message "
    "modify mount move name negotiate notify offer omit open order output overwrite paginate paste pay perform "
    "phone pick pin place plan post prefer prefix prepare present print prioritise prioritize process produce "
    "propose provide publish pull purchase push put query quote raise read rebase record redact reduce refactor "
    "refer reference refund reject release remove rename render reorder repeat replace reply report request "
    "require reschedule reserve reset respond restart return reuse revert review rewrite round route run save "
    "schedule search seat select sell send separate serve set share ship show sign skip sort speak specify split "
    "squash start store submit suggest summarise summarize switch tag test text touch trade transfer translate "
    "trim truncate try type uninstall update upgrade upload use validate verify version wait wake warn withdraw "
    "wrap write"
)
# What "don't" mostly says about one order or call.
SERVICE = _words("bill cancel change charge close modify process refund return ship start transfer update")
MANNERS = frozenset(
    f"be {manner}"
    for manner in _words("brief careful clear concise consistent direct formal honest informal polite precise")
)
# What people say of themselves as a lasting habit or wish: "I always want an aisle seat".
HABITS = WORK | _words("deal drink drive eat need require sit stay travel want wear work")

# A sentence about this very task, or one that says nothing without the sentence before it.
HERE = (
    r"(?i:\b(?:this|these|those|today|tonight|tomorrow|yesterday|currently|at the moment|(?<!from )now"
    r"|for the time being|(?<!from )here|there|instead(?! of)|either|neither|any ?more|any further|yet|so far|above"
    r"|below|(?:anything|anyone|nothing|something|someone) else"
    r"|the (?:first|second|third|last|former|latter|other|same|cheapest|original) (?:one|option))\b"
    r"|\bthat(?=\s*(?:$|[.,;:!]|one\b|way\b|is\b|was\b|would\b))|\b(?:do|like|for|about|of|with|to|than) that\b"
    r"|#\s?\w*\d)|\b\w*\d{5,}\b|\b[A-Z]{2,4}\d{3}\b"
)
# After "don't", "remember to" and "I prefer", where nothing else says that the sentence is a rule.
SINGLE = (
    r"\b(?:the|my|our|your|his|their|it|them|him|her|any|anything|everything|one|ones|all|again|refunds?|exchanges?"
    r"|option|certificate|gift card|credit card|paypal|replacement)\b"
)
HERE_CHINESE = (
    r"这|那(?!么)|此|该|它|他们?|她|刚才|刚刚|现在(?!开始|起)|今天(?!起|开始)|今晚|明天|昨天|本次|目前|暂时|第[一二三四五六七八九十\d]+"
    r"|其他|其它|别的|上面|下面|\d{5,}"
)
SINGLE_CHINESE = r"订单|退款|退货|换货|取消|包裹|快递|优惠券|账单|了$"
WORK_CHINESE = (
    "在用使给把将对向跟和为发打叫让安排预订购买推送提交合并部署修改删除写说加联系回复称呼透露公开自动擅自随便直接"
    "重启运行执行忽略跳过翻译显示添加缩写省略泄露分享通知抄送转发覆盖调用"
)
