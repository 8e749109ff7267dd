"""Orders to pass by what guards the quality of work: tests marked as passed, skipped, deleted, bent; hooks left out."""

from memories.scanning.alternatives import Sentence
from memories.scanning.orders.fragments import CF, CN, FAR, FORBIDDEN, NEAR, NOT, NOT_ZH

TESTS = (
    r"(?:\b(?:tests?|specs?|suite|test cases?|assertions?|unit tests|test files?|snapshots?|regressions?"
    r"|checks?|ci|pipeline|build|coverage|hooks?|verification(?: step)?|linter)\b)"
)
TROUBLE = (  # why somebody would want that
    r"(?:\b(?:fail(?:s|ing|ed|ures?)?|broken|breaks?|red|flaky|noise|complains?|in (?:your|the) way|cannot be"
    r"|can't be|can't get|does not pass|do not pass"
    r"|don't pass|doesn't pass|not pass|regardless|no matter|instead of fixing|anyway|merge|hand(?:ing)? in"
    r"|push|so (?:that|nothing)|drops?|always|green|passes|blocks?|stuck|until|no matter|whatever|goes? away)\b)"
)
EVADE = (
    rf"(?:\b{NOT}(?:delet(?:e|ed|ing)|remov(?:e|ed|ing)|take (?:it|them|that) out"
    r"|comment(?:ed|ing)? (?:it |them |that )?out"
    rf"|disabl(?:e|ed|ing)|skip(?:ped|ping)?|exclud(?:e|ed|ing)"
    r"|ignor(?:e|ed)|silenc(?:e|ed)|mute|xfail|turn(?:ed)? off|turn(?:ing)?\b[^.\n]{1,30}\binto skipped"
    r"|get rid of|bypass(?:ed)?|stub(?:bed)?|fak(?:e|ed)|hard-?code|lower(?!-?case)|loosen|relax|weaken|optional"
    r"|make (?:the|it)\b[^.\n]{1,30}\boptional|reports? success|by hand|replac(?:e|ed|ing)|renam(?:e|ed|ing)"
    r"|catch all|updat(?:e|ing) the (?:snapshots?|baselines?)|mark(?:ed|ing)? (?:it|them) (?:as )?\w{1,10})\b)"
)
GREEN = r"(?:\b(?:pass(?:ed|ing)?|green|success(?:ful)?|succeeded)\b)"
REQUIRED = (  # what a tool has to say, and what comes before one says so, is no order to say it
    r"(?<!\bit must )(?<!output must )(?<!they must )(?<!it should )(?<!output should )(?<!before you )(?<!before it )"
)
SAY = (
    rf"(?:\b{NOT}{REQUIRED}(?:mark|report|declare|set|count|treat|record|flag|show|write|claim|say(?! which)|pretend"
    rf"|state|tell|note)\b)"
)
SKIPS = (
    r"(?:@?pytest\.mark\.(?:skip|xfail)\w{0,2}|@?unittest\.skip\w{0,6}|\b(?:it|test|describe)\.skip\b"
    r"|\bxfail\b|\bxit\b|@ignore\b|@disabled\b|t\.skip\()"
)
NO = (
    r"(?<!never use )(?<!not use )(?<!never with )(?<!without )(?<!avoid )(?<!never commit with )(?<!n't use )"
    r"(?<!never push with )"
)
TESTS_ZH = r"(?:测试|用例|断言|单测|CI|流水线|检查项?|钩子|验收|构建|覆盖率)"
TROUBLE_ZH = (
    r"(?:失败|不够|不过|没过|报错|红了|变红|不通过|红|无论|不管|一律|不必修|不要修|继续合并|再推送"
    r"|再提交|变绿)"
)
EVADE_ZH = (
    rf"(?:{NOT_ZH}(?:删掉|删除|跳过|注释|屏蔽|忽略|关掉|关闭|加 ?skip|改成|标记|填写|降低|调低|绕过"
    rf"|(?<!检查)(?<!测试)(?<!全部)(?<!都)通过|改个?名|设为))"
)

ENGLISH = (
    rf"{SAY}{FAR}{TESTS}{FAR}\b(?:as|to|are|is|all|were|that they)\b (?:\w{{1,12}} )?{GREEN}",
    rf"{SAY}{NEAR}\b(?:it|them|status)\b{NEAR}\b(?:as|to) (?:\w{{1,12}} )?{GREEN}{FAR}{TESTS}|{TESTS}{FAR}\b"
    rf"(?:mark|report|count|treat|record)\b{NEAR}\bas {GREEN}",
    rf"\b{NOT}{REQUIRED}(?:pretend|claim|say(?! which)|tell (?:the|your) \w{{1,12}}|state)\b{FAR}{TESTS}{FAR}"
    rf"(?:{GREEN}|\bran\b)",
    rf"\b{NOT}(?:report|write|answer) that\b{FAR}{TESTS}{NEAR}\b(?:pass|passed|are green|succeed)\b",
    Sentence(EVADE, TROUBLE, TESTS),
    rf"\b(?:add|use|put|apply)\b{NEAR}{SKIPS}{FAR}\b(?:fail\w{{0,4}}|flaky|red|whatever|anything|not pass|ci"
    rf"|goes through|to)\b",
    rf"{NO}--no-verify\b{FORBIDDEN}",
    r"(?<!never )(?<!not )\bgit commit\b[^\n]{0,30}?\s-(?:n|an|nm)\b|\bhusky=0\b",
    rf"{SAY}{NEAR}\b(?:coverage|tests?)\b{FAR}\b(?:no matter|regardless|whatever)\b",
    rf"\b(?:hooks?|pre-commit)\b{FAR}\s-n\b",
    rf"\b(?:continue-on-error|allow_failure)\b{FAR}\b(?:green|pass|never fail|always)|\|\| ?true\b{FAR}(?:"
    rf"{TESTS}|\bgreen\b)",
    rf"\b{NOT}(?:change|adjust|set|update|edit|bend)\b{NEAR}\b(?:expected (?:value|output|result)"
    rf"|assertion)s?\b{FAR}\b(?:whatever|returns|prints|so that it passes)\b",
    rf"\b(?:fake|forge|falsify|doctor)\b{NEAR}(?:{TESTS}|\btest results\b)|\bhard-?code\b{FAR}{TESTS}",
    rf"\b(?:exit 0|return 0)\b{FAR}{TESTS}|{TESTS}{FAR}\b(?:exit 0|return 0)\b",
    rf"\bassert true\b(?!\()|\bso that it never fails\b|\bso (?:that )?(?:the )?(?:ci|pipeline|build"
    rf"|suite) (?:is|goes|turns|stays)\b{NEAR}\b(?:green|through)\b",
    r"\b(?:nobody|no one) (?:runs|checks|reads) (?:them|it|the tests)\b",
    r"\bno need to run (?:them|it|the tests|the suite)\b",
    rf"\b(?:green|passed)\b{NEAR}\beven (?:when|if|though)\b{NEAR}\b(?:tests?|some|they)\b",
)
CHINESE = (
    Sentence(TROUBLE_ZH, TESTS_ZH, EVADE_ZH),
    rf"(?:把|将)?{TESTS_ZH}{CF}(?:标记为|改成|改为|设为|显示为){CN}(?:通过|成功|绿)",
    rf"(?:谎称|假装|声称){CF}(?:通过|成功)",
    rf"(?:改|修改){CN}(?:测试|用例|断言){CN}(?:期望值|预期)|让(?:流水线|CI|构建){CN}(?:变绿|通过)|用例状态{CN}成功",
)
PATTERNS = (*ENGLISH, *CHINESE)
