"""Parts of patterns that several classes of orders share."""

NEAR, FAR = r"[^.\n]{0,20}", r"[^.\n]{0,45}"  # within one sentence
LINE = r"[^\n]{0,60}"  # within one line: addresses and paths hold full stops
CN, CF = r"[^。\n]{0,8}", r"[^。\n]{0,24}"
NOT = r"(?<!never )(?<!not )(?<!n't )(?<!avoid )"  # before a verb that is not forbidden
NOT_ZH = r"(?<!不要)(?<!别)(?<!勿)(?<!禁止)(?<!不得)(?<!不能)(?<!不可)(?<!从不)(?<!绝不)"
# before a command that is not to be run, and after one that is forbidden
NOT_RUN = NOT + "".join(
    f"(?<!{no}{run}{quote})"
    for negations, verbs in (
        (("never ", "not ", "n't "), ("", "use ", "run ", "execute ")),
        (("禁止", "不要", "不得", "严禁"), ("", " ", "执行", "执行 ", "使用", "使用 ", "运行", "运行 ")),
    )
    for no in negations
    for run in verbs
    for quote in ("", "`")
)
FORBIDDEN = (
    r"(?![^.\n;,:]{0,40}(?:(?<!not )(?<!never )(?<!longer )\b(?:forbidden|prohibited|banned|verboten|interdite?"
    r"|prohibid[oa])\b|\b(?:never|not)(?: be)? (?:run|used|executed|allowed|permitted)\b|禁止))"
)
GIVEN = (
    r"(?:instructions?|prompts?|rul(?:es?|ings)|messages|guidelines|polic(?:y|ies)|restrictions|directives|context"
    r"|safeguards)"
)
GIVEN_DE = r"(?:anweisung(?:en)?|regeln|richtlinien?|vorgaben|vorschriften|inhaltsrichtlinien?|beschränkungen)"
GIVEN_ES = r"(?:instrucci(?:ón|ones)|reglas|normas|directrices|políticas?|indicaciones|restricciones)"
GIVEN_FR = r"(?:instructions?|consignes?|règles?|directives?|ordres|restrictions|contraintes)"
GIVEN_ZH = r"(?:指令|指示|提示|规则|要求|规定|政策|约束)"
OWN_MACHINE = r"(?!localhost|127\.|0\.0\.0\.0|\[::1)"
WEB = rf"(?:\b(?:https?|s?ftp|wss?|mongodb|redis|s3|gs|oss)://{OWN_MACHINE})"
MAIL = r"(?:[\w.+-]{1,64}@[\w-]{1,63}\.\w)"
ADDRESS = (
    rf"(?:{WEB}|{MAIL}|\b[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{0,3}}"
    r"\.(?:com|net|org|io|site|app|dev|xyz|biz|info|cc|ru|cn|ai|sh)(?:/|:\d|\b))"
)
