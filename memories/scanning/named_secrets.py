"""Values beside words that name a secret: passwords, tokens, PINs, in prose, files and command lines.

Texts may be JSON: a quote may be escaped, and a line break is a backslash and a letter.
"""

import re

from memories.scanning.credential_kinds import WITH_SPACES
from memories.scanning.credential_kinds import kind as _kind

# A word that names a secret. Words before it may be joined to it (DB_PASSWORD, dbPassword, PGPASSWORD).
_NAMES = (
    r"pass(?:word|wd|phrase|code)s?|passwor[td]|kennwort|mot de passe|pwd(?![^\w/]{1,6}/)"
    r"|contrase(?:ñ|n|\\{1,8}u00f1|\\{1,8}xf1|%c3%b1)a"
    r"|(?<!\d:)(?<!xisting)secret(?:[ _-]?(?:access[ _-]?)?key)?|(?:api|wlan)[ -]?schl(?:ü|ue|\\{1,8}u00fc)ssel"
    r"|(?:client|app|webhook|shared|signing)[ _-]?(?:secret|key)"
    r"|api[ _-]?(?:key|token|secret)|(?:shared[ _-]?)?access[ _-]?key|(?:account|encryption|master"
    r"|license|private)[ _-]?key"
    r"|(?:auth|refresh|bearer|session|access|csrf|xsrf|bot|deploy)[ _-]?token|bearer"
    r"|credentials?|requirepass|(?<![\w-])psk(?=[ ]?[:=])|(?<![\w-])pw(?=[ ]?[:=])|(?<![\w-])pass(?=[ ]?[:=])"
    r"|session[ _-]?(?:id|key|cookie)|(?:php|j)sess(?:ion)?id|connect\.sid|csrftoken"
)
_JOINED = r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z])|(?<=PG)|(?<=db)|(?<=DB)|(?<=\\[nrt]))"
_ENDS = r"(?i:[_-](?:base|value|prod|dev|staging|test|live|old|new|\d{1,2}))?"
_NAME = (
    rf"{_JOINED}(?!PASS: [\w.:/-]{{0,60}}[_.:/])(?i:{_NAMES}|[a-z0-9]{{1,20}}[_-](?:token|pass|pw|pat)(?![a-z])){_ENDS}"
)
_QUOTE = r"(?:\\{0,3}['\"`“”‘’]|\*\*)?"
_SPACE = r"[ \t]{0,3}"
_SET = (
    r"(?:(?!:\?)[:=]{1,2}(?:\*\*)?|\||=>|->|%3[AaDd]|[：＝是为]|\b(?:is|was|lautet|ist|es|est|era)(?: now| still)?\b)"
)
_PLAIN = r"[^\s'\"\\,;()\[\]{}<>`“”，。；、…•]"
_DRAWN = r"[A-Za-z]{0,32}?[A-Z][a-z]{1,2}(?=[A-Z])[A-Za-z]{0,32}?[A-Z][a-z]{1,2}(?=[A-Z])[A-Za-z]{0,32}"  # by lot
_RARE = (  # pairs of letters of which one in 33 stands in English words and names of code, and half in letters by lot
    "[aA][aehjoqz]|[bB][bdghkmnpqtvwxz]|[cC][bgjqvwxz]|[dD][hjknqvwxz]|[eE][jz]|[fF][bghjkmnpqv-z]|[gG][bcdfjkmpqv-z]"
    "|[hH][bcdfghjknpqsvwxz]|[iI][h-kqwy]|[jJ][bcdf-np-tv-z]|[kK][bdfghj-mo-rv-z]|[lL][hjqwxz]|[mM][fghjkqrv-z]"
    "|[nN][jqwxz]|[oO][ehjqyz]|[pP][bfgjknqvwxz]|[qQ][a-km-tv-z]|[rR][hjqwxz]|[sS][jxz]|[tT][gjqvxz]|[uU][hjkqu-z]"
    "|[vV][bdfghj-npqrt-z]|[wW][bcdfgjlmpqt-z]|[xX][abdfghjklnoqrsu-xz]|[yY][abdfghjkoqru-z]|[zZ][bcdf-z]"
)
_UNSPEAKABLE = rf"(?=[A-Za-z]{{10,64}}(?![\w.(\[-]))(?:[A-Za-z]{{0,30}}?(?:{_RARE})){{2}}"
TELLING = (  # no word alone, and no path
    r"(?:(?=[^\s'\"\\]{0,64}(?:\d|[!#$%&*+/=?^~@]\w|[A-Za-z]-[A-Z]|[A-Z]-[a-z]))(?!(?:[a-z][a-z\d-]{0,40}/){3}|/[a-z]+/)"
    rf"|(?={_DRAWN}(?![\w.(\[-]))|(?={_UNSPEAKABLE}))"
)
_NO_CODE = r"(?![(\[])"  # after a value: a call or an index is no value
_STAND_IN = (  # what stands where a secret would
    r"(?!\$|%[(s]|['\"] ?\+|[<{\[*•]|[xX*.]{3}|(?:none|null|nil|true|false|undefined|required|optional|string|str|int"
    r"|bool|bytes|any|text|password|passwd|secret|token|your|my|the|example|invalid|wrong|empty|missing|some\w*"
    r"|redacted|removed|hidden|changed|self|os|args|kwargs|request|settings|config|env|process|options|user"
    r"|data|input|get\w*|generate\w*|read|value)(?![a-z0-9]*\d))"
)
_FLAGS = (
    r"pass(?:word|wd|phrase|code)?|pwd|(?:[a-z]{1,12}-)?(?:token|secret|api-?key|access-?key|secret-key)|auth-token"
)
_MYSQL = r"(?:mysql(?:dump|admin|import)?|mariadb(?:-dump)?)\b[^\n|;&\"]{0,200}? -p"  # `-p shop` asks for it
_CALLS = r"sshpass|plink|pscp|7z|(?:az|docker|oc|podman|skopeo) login|mongo(?:sh|dump)?|redis-cli|ldapsearch|cqlsh"
NAME = re.compile(_NAME)
_BEFORE_TOKEN = ("api", "access", "auth", "refresh", "csrf", "xsrf", "bot", "deploy")
_BEFORE_KEY = (
    *("api", "access", "account", "app", "client", "encryption", "license", "master", "private", "shared"),
    *("signing", "webhook"),
)
STEMS = (  # in lower case; every name holds one. `key` and `token` alone, which stand in most answers, are no names
    *("passw", "passphrase", "passcode", "mot de passe", "_pass", "-pass", "pass:", "pass :", "pass=", "pass ="),
    *("pwd", "_pw", "-pw", "pw:", "pw :", "pw=", "pw =", "psk", "schl", "_pat", "-pat", "_token", "-token"),
    *("secret", "bearer", "kennwort", "contrase", "credential", "requirepass", "sess", "connect.sid", "csrftoken"),
    *(f"{first}{between}key" for first in _BEFORE_KEY for between in ("", " ", "_", "-")),
    *(f"{first}{between}token" for first in _BEFORE_TOKEN for between in ("", " ")),
)
_IN_BASE64 = "cGFzc3dvcm|Bhc3N3b3Jk|wYXNzd29yZ|cGFzc3dk|c2VjcmV0|NlY3Jld|zZWNyZX|YXBpX2tl|FwaV9rZX|hcGlfa2V5"
_IN_HEX = "70617373776f7264|706173737764|736563726574|6170695f6b6579"  # password, passwd, secret, api_key
_DUMPED = "70 ?61 ?73 ?73|73 ?65 ?63 ?72 ?65 ?74"
# With what follows it: "pinned" is in each memory that is answered, and "encoding" in much of what is reported.
_PINS = "|".join(word + sign for word in ("pin", "cvv", "cvc", "otp", "code") for sign in " :=#_-2'\"\\")
_BREAK = r"(?:(?:\\{1,4}r)?\\{1,4}n|\r?\n)[ \t]{0,8}"
_ENDS_LINE = r"(?=[\n\r\\\"']|\Z)"
AFTER_NAME = (  # what may follow a name
    re.compile(rf"{_QUOTE}\]?{_SPACE}{_SET}{_SPACE}{_QUOTE}{TELLING}(?P<secret>{_PLAIN}{{6,512}}+){_NO_CODE}"),
    re.compile(  # between quotes it may hold anything
        rf"(?:\\{{0,3}}['\"])?\]?{_SPACE}(?:[:=]{{1,2}}|=>|\bis\b|\(){_SPACE}(?P<open>\\{{0,3}}['\"])(?i:{_STAND_IN})"
        r"(?!(?:_[a-z_]+|(?:[a-z]{1,20}-){1,6}(?:token|password|secret|key))(?P=open))"  # the name of one
        r"(?P<secret>(?:(?!(?P=open)|\\?n|\n)[^\n]){1,3}(?:(?!(?P=open))[^\n]){3,200}?)(?P=open)"
    ),
    re.compile(  # on a line of its own
        rf"[:：]?(?:\*\*)?[ ]?(?:\n|\\n)[ ]{{0,2}}{_QUOTE}(?=[^\s'\"\\]{{0,40}}\d)(?=[^\s'\"\\]{{0,40}}[A-Za-z])"
        rf"(?P<secret>{_PLAIN}{{7,512}}+)(?=[`'\"]?(?:\n|\\n|$|\"|\\\"))"
    ),
    re.compile(  # "the password for staging is"
        rf"(?i:(?: here)? (?:for|of|to|on|at|in|we use|you need|that works|für|vom|zum|para|del|pour)\b"
        rf"[^\n.:=]{{1,60}}?{_SPACE}(?::|=|\b(?:is|was|ist|war|lautet|es|est)\b)(?: now| still)?{_SPACE}){_QUOTE}"
        rf"{TELLING}(?P<secret>{_PLAIN}{{6,512}}+){_NO_CODE}"
    ),
    re.compile(  # "the password hunter2X", "set the password to hunter2X"
        rf"(?i:(?: (?:(?:was |has been )?(?:changed |reset |set )?to|(?:wurde )?auf|is|as|called))?[ \t]{{1,3}})"
        rf"{_QUOTE}(?=[^\s'\"\\]{{0,40}}\d)(?=[^\s'\"\\]{{0,40}}[A-Za-z])"
        r"(?!python\d{1,3}\b|[\w-]{1,40}[.=(\[/])(?=[^\s'\"\\]{0,40}(?:[a-z][A-Z0-9]|[!#$%&*+=?^~@]))"
        rf"(?P<secret>{_PLAIN}{{7,512}}+){_NO_CODE}"
    ),
)
BESIDE = (
    *WITH_SPACES,
    _kind(  # texts in base64 and in hexadecimal digits that hold a name of a secret, perhaps over lines: as a whole
        _IN_BASE64.lower(),
        rf"(?:(?<![\w+/=\\-])|(?<=\\n))(?P<secret>(?:[A-Za-z0-9+/]{{16,100}}{_BREAK}){{0,4}}[A-Za-z0-9_+/-]{{0,400}}?"
        rf"(?:{_IN_BASE64})[A-Za-z0-9_+/-]{{8,20000}}+(?:{_BREAK}[A-Za-z0-9+/]{{16,100}}){{0,99}}+"
        rf"(?:{_BREAK}[A-Za-z0-9+/]{{1,100}}(?:={{1,2}}|{_ENDS_LINE}))?={{0,2}})",
        "password",
        500,
    ),
    _kind(
        _IN_HEX,
        rf"(?i:(?:(?<![\w\\-])|(?<=\\n))(?P<secret>(?:[0-9a-f]{{16,100}}{_BREAK}){{0,4}}[0-9a-f]{{0,400}}?"
        rf"(?:{_IN_HEX})[0-9a-f]{{8,20000}}+(?:{_BREAK}[0-9a-f]{{16,100}}){{0,99}}+"
        rf"(?:{_BREAK}[0-9a-f]{{1,99}}{_ENDS_LINE})?))",
        "password",
        500,
    ),
    _kind(  # such digits in columns, as a dump shows them
        "7061 73|70 61 73|70 6173|7365 63|73 65 63|73 6563",
        rf"(?i:(?<![\w])(?P<secret>(?:[0-9a-f]{{2,8}}:? {{1,2}}){{0,40}}[0-9a-f]{{0,6}}(?:{_DUMPED})"
        rf"(?: {{0,2}}[0-9a-f]{{2}}){{2,9999}}(?:[^\n\\]{{0,40}}{_BREAK}(?:[0-9a-f]{{4,8}}: {{1,2}})?"
        rf"[0-9a-f]{{2,8}}(?: {{1,2}}[0-9a-f]{{2,8}}){{0,31}}){{0,99}}))",
        "password",
        500,
    ),
    _kind(  # a variable of a shell or an .env file may hold a word
        "pass|pwd|secret|token|_key",
        r"(?:^|[\s\"'`;]|\\n)(?:[A-Z0-9]{1,20}_){0,5}(?:PG|SSH)?"
        r"(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|(?:API|ACCESS|SECRET|PRIVATE)_KEY)"
        rf"(?:_[A-Z0-9]{{1,20}}){{0,2}}=(?!/)(?i:{_STAND_IN})(?P<secret>{_PLAIN}{{4,512}}+){_NO_CODE}",
    ),
    _kind(
        "pass",
        r"(?i:\b(?:machine|login) \S{1,100}(?:\s|\\n){1,9}(?:login \S{1,100}(?:\s|\\n){1,9})?password )"
        r"(?P<secret>[^\s\\\"']{3,256})",
    ),
    _kind(
        "-pass|-pwd|-token|-secret|-key|-api|-acc|-auth",
        rf"(?i:(?<![\w-])--?(?:{_FLAGS}))(?:\\{{0,3}}['\"]{_SPACE},{_SPACE}(?=\\{{0,3}}['\"]{TELLING})|=|[ \t]{{1,3}})"
        rf"{_QUOTE}(?i:{_STAND_IN})(?![-@/.]|[A-Z_]{{4,40}}(?![\w-]))(?P<secret>{_PLAIN}{{4,512}}+){_NO_CODE}",
    ),
    _kind(
        " -p| -a| -w| -c ",
        rf"(?:{_MYSQL}(?:(?! )| {TELLING})|(?:{_CALLS})\b[^\n|;&\"]{{0,200}}? -(?:p|pw|a|w)[ ]?"
        rf"|(?:sqlcmd|osql|bcp|unzip|zip)\b[^\n|;&\"]{{0,200}}? -P[ ]?"
        rf"|snmp(?:bulk|get|set|walk)\w{{0,4}}\b[^\n|;&\"]{{0,80}}? -c (?!public\b)){_QUOTE}(?=[^\s'\"\\]{{0,64}}"
        rf"[A-Za-z!#$%&*+=?^~@])(?![-$<\"'])"
        rf"(?P<secret>{_PLAIN}{{4,256}}+)",
    ),
    _kind(
        "curl |wget |http ",
        rf"(?:curl|wget|http)\b[^\n|;]{{0,300}}? (?:-u|--user|-a|--auth|--proxy-user)[ =]?{_QUOTE}"
        rf"[\w.@%${{}}-]{{1,64}}:(?!\$)(?P<secret>{_PLAIN}{{3,256}}+)",
    ),
    _kind(  # what a program reads from its standard input
        "| sudo -|stdin|with-token|luks",
        rf"(?:echo|printf)(?: -\w{{1,3}}| ['\"]?%s(?:\\n)?['\"]?)? {{1,3}}{_QUOTE}(?![-$%])"
        rf"(?P<secret>[^\s'\"|\\]{{3,200}}){_QUOTE} ?\| ?"
        r"(?:sudo (?:-\w{1,8} ){0,3}-(?:\w{0,4}S|-stdin)\b|[^\n|;&]{1,80}(?:--password-stdin|passwd --stdin"
        r"|--with-token|luks(?:Open|Format))\b)",
    ),
    _kind(
        "<<<",
        r"(?:sudo (?:-\w{1,8} ){0,3}-\w{0,4}S|--password-stdin|--with-token)\b[^\n|;&]{0,60}?<<< ?"
        rf"{_QUOTE}(?!\$)(?P<secret>{_PLAIN}{{3,200}})",
    ),
    _kind(
        "openssl |ssh-keygen |securestring|mc alias|ldapsearch",
        r"(?:openssl [^\n|;&]{1,120}? -k |ldapsearch [^\n|;&]{1,200}? -w "
        r"|ssh-keygen (?:[^\n|;&]{1,120}? )?-[NP] |mc alias set(?: \S{1,200}){3} "
        rf"|(?i:ConvertTo-SecureString )(?:-String )?){_QUOTE}(?![-$])(?P<secret>{_PLAIN}{{4,200}})",
    ),
    _kind(  # user%password, and the password beside /user:
        "smbclient|smbget|smbmap|rpcclient|winexe|net use|net user ",
        r"(?:(?:smb(?:client|get|map)|rpcclient|winexe) [^\n|;&]{0,120}?-U ?['\"]?[\w.\\/-]{1,64}%(?![$%])"
        r"|net use [^\n|;&]{0,120}?/user:\S{1,64} (?!/)"
        rf"|net user \S{{1,64}} (?!/){TELLING}|net use [^\n/|;&]{{0,120}}? (?=\S{{4,64}} /user:){TELLING})"
        rf"(?P<secret>{_PLAIN}{{4,200}})",
    ),
    _kind(  # "with Zx9!kk2L as its password"
        "pass|pwd",
        rf"(?i:\b(?:with|use|using|enter|type|set) ){_QUOTE}(?=[^\s'\"\\]{{0,40}}\d)(?=[^\s'\"\\]{{0,40}}[A-Za-z])"
        rf"(?P<secret>{_PLAIN}{{6,64}}){_QUOTE} as "
        r"(?i:(?:an?|its|the|his|her|their|your|my) )?(?i:pass(?:word|phrase|code)|pwd)\b",
    ),
    _kind(
        "pass",
        rf"(?i:echo ){_QUOTE}[\w.-]{{1,64}}:(?P<secret>[^\s'\"\\|]{{3,200}})[\\'\"]{{0,4}} ?\| ?(?:sudo )?chpasswd",
    ),
    _kind("pass", r"htpasswd (?:-\w{1,8} ){0,4}\S{1,200} \S{1,64} (?P<secret>[^\s'\"|;]{3,200})"),
    _kind(
        "pass|identified by",
        r"(?i:identified (?:with \w{1,40} )?by|(?:encrypted )?password) E?(?:\\{0,3}['\"])(?!%[(s])(?P<secret>"
        r"[^'\"\\\n]{3,200})['\"\\]",
    ),
    _kind(
        "</",
        rf"<(?i:(?:\w{{1,20}}:)?[\w.-]{{0,30}}(?:{_NAMES}|token))(?: [^>]{{0,100}})?>{_SPACE}(?P<secret>"
        rf"[^<>\s][^<>\n]{{2,300}}?){_SPACE}</",
    ),
    _kind(  # {"name": "DB_PASSWORD", "value": "..."}
        "value",
        rf"(?i:(?:name|key|field|variable)(?:\\{{0,3}}['\"])?{_SPACE}[:=]{_SPACE}(?:\\{{0,3}}"
        rf"['\"])?[\w .-]{{0,40}}(?:{_NAMES}|token|_pass)[\w -]{{0,20}}"
        rf"(?:\\{{0,3}}['\"])?(?:,|\s|\\n|- ){{1,9}}(?:\\{{0,3}}['\"])?(?:default_|string)?value"
        rf"(?:\\{{0,3}}['\"])?{_SPACE}[:=]{_SPACE}(?:\\{{0,3}}['\"])?)"
        rf"(?P<secret>{_PLAIN}{{4,512}}+)",
    ),
    _kind(
        "://",
        r"://[^\s:/@\"'\\]{0,100}:(?![$<{]|(?i:pass(?:word|wd)?|pw|pwd|secret|token|x{3,9})@)"
        r"(?P<secret>[^\s:/@\"'\\•]{3,200}(?:@[^\s:/@\"'\\•]{1,100}){0,2})@[\w\[%.{$-]",
    ),
    _kind(  # a token in the place of the user
        "://",
        r"://(?P<secret>(?=[A-Za-z_-]{0,60}\d)(?=[\d_-]{0,60}[A-Za-z])[\w-]{32,255})@[\w\[%.{$-]",
    ),
    _kind("thin:", rf"(?i:jdbc:oracle:\w{{3,5}}:)[\w$#.-]{{1,60}}/(?P<secret>{_PLAIN}{{3,100}}?)@"),
    _kind(
        "sqlplus |rman |sqlldr |expdp |impdp |userid=",
        rf"(?i:\b(?:sqlplus|rman|sqlldr|expdp|impdp)\b[^\n|;&/]{{0,60}} |userid=){_QUOTE}[A-Za-z][\w$#.-]{{0,60}}"
        rf"/(?!\$)(?P<secret>[^\s'\"\\@/]{{3,100}})@",
    ),
    _kind(  # user:password in base64, in the files of Docker and npm
        "auth",
        r"(?<![A-Za-z-])_?auth(?:\\{0,7}\")? ?[:=] ?(?:\\{0,7}\")?(?![A-Za-z]{0,64}[a-z]{7})"
        r"(?=[\w+/]{0,64}\d)(?=[\w+/]{0,64}[A-Z])"
        r"(?P<secret>(?:[A-Za-z0-9+/]{4}){3,500}(?:[\w+/]{2}==|[\w+/]{3}=)?)(?![\w+/.(-])",
        "token",
    ),
    _kind(
        "in with|in using|creds|credentials",
        r"(?i:\b(?:log(?:ged)? ?in|sign(?:ed)? in) (?:with|using)|\bcred(?:ential)?s(?: are)?:?) [\w.@-]{2,40} ?/ ?"
        rf"(?!(?i:oauth))(?=[^\s'\"\\]{{0,40}}\d)(?=[^\s'\"\\]{{0,40}}[A-Za-z])(?P<secret>(?:(?!/){_PLAIN}){{6,64}}+)",
    ),
    _kind(
        "sig=|token=|key=|code=|auth=|signature=",
        r"[?&](?i:sig|signature|token|key|code|auth|access_token|api_?key|x-amz-signature"
        r"|x-amz-security-token)=(?=[^\s&'\"\\]{0,80}\d)(?P<secret>[\w%.~+/=-]{20,2000})",
        "key",
    ),
    _kind(  # `token` alone names pages and places too: only what is long and of three kinds, or hexadecimal
        'token:|token=|token":|token\\":|token\\\\\\":|token is |token =',
        r"(?i:(?<![\w-])token)(?:\\{0,3}['\"])?[ ]?(?:[:=]|\bis\b)[ ]?(?:\\{0,3}['\"])?"
        r"(?P<secret>(?:(?=[^\s'\"\\]{0,40}\d)(?=[^\s'\"\\]{0,40}[a-z])(?=[^\s'\"\\]{0,40}[A-Z])[\w+/-]{12,512}={0,2}|[0-9a-f]{32,128})(?![\w.+/-]))",
        "token",
    ),
    _kind(
        "bearer ", r"(?i:(?<![A-Za-z])bearer) {1,3}(?=[\w.~+/-]{0,64}\d)(?P<secret>[\w.~+/-]{12,2000}={0,2})", "token"
    ),
    _kind(
        "basic |digest |authorization",
        r"(?i:authorization\\{0,3}['\"]?[ ]?[:=][ ]?\\{0,3}['\"]?(?:(?:basic|token|apikey|digest"
        r"|aws4-hmac-sha256|negotiate|key) )|(?<![a-z])basic )"
        r"(?=[A-Za-z]{0,40}[\d+/=A-Z])(?P<secret>(?=[A-Za-z0-9+/._~-]{0,60}(?:\d|[a-z][A-Z]))"
        r"[A-Za-z0-9+/._~-]{12,2000}={0,2})",
        "token",
    ),
    _kind(
        "cookie",
        r"(?i:(?<![\w])(?:set-)?cookies?\\{0,3}['\"]?[ ]?[:=][ ]?\\{0,3}['\"]?)(?P<secret>[\w.-]{1,64}="
        r"[^\s;'\"\\]{8,2000}(?:; ?[\w.-]{1,64}=[^\s;'\"\\]{1,2000}){0,30})",
        "token",
    ),
    _kind(
        "accountkey|accesskey|sharedsecret",
        r"(?i:accountkey|sharedaccesskey|sharedsecretvalue)=(?P<secret>[A-Za-z0-9+/]{20,120}={0,2})",
        "key",
    ),
    _kind(
        "phrase|mnemonic|seed|助记词",
        r"(?:(?i:(?:seed|recovery|backup|secret|mnemonic)(?: (?:phrase|words?))?)|助记词)"
        r"[^\n\"a-z]{0,20}?(?:is|was|是|为)?[:：]?[ ]{0,2}[\"']?(?P<secret>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})",
        "key",
    ),
    _kind(
        _PINS,
        r"(?:(?:\b|(?<=\\[nrt]))(?:PIN|Pin|CVV2?|CVC2?|OTP)\b|(?i:\b(?:cvv2?|cvc2?|(?:security|verification|one-?time"
        r"|access|door|alarm|gate|unlock|login|2fa|mfa|pin)[ _-](?:pass)?(?:code|pin|number)|passcode|pin))"
        r"(?=['\"\\]{0,4}[ ]?(?:[:=]|is\b|was\b)))(?: (?:code|number))?\\{0,3}['\"]?(?: (?:for|of|to)"
        r"[^\n.:=\d]{1,40}?)?(?:[ ]?[:=#]|[ ](?:is|was|lautet|ist)\b|(?=[ ]))(?: now)?[ ]{0,2}\\{0,3}['\"]?"
        r"(?P<secret>\d{3,8}|\d{3}[ -]\d{3})(?![\w.:/-]?\d|\w)",
        "PIN",
        24,
        110,
    ),
    _kind(
        "密码|口令|密钥|秘钥|令牌|密碼|金鑰|访问凭证|登录凭证|私钥|暗号|授权码",
        r"(?:密码|口令|密钥|秘钥|令牌|密碼|金鑰|访问凭证|登录凭证|私钥|暗号|授权码(?!模式))(?!\[|长度|红包)(?:[（(][^）)\n]{0,20}[）)])?"
        r"[^\n!-~。，；、！？]{0,12}?[ ]{0,2}"
        r"(?:(?=[!-~]{0,30}\d)|是|为|為|:|：|=|＝|成|用|作|到|\"|“|「|'|`|\\\"|[ ]){1,4}[^\n!-~。，；、！？]{0,4}"
        r"[\"'`\\“「 ]{0,3}(?![\[<{$•]|[A-Z]+_[A-Z_]+(?!\w))(?P<secret>[!#$%&*+\-./0-9:=?@A-Z^_a-z|~]{4,256})",
    ),
    _kind(
        "验证码|校验码|安全码|取件码|提取码",
        r"(?:验证码|校验码|安全码|取件码|提取码)[^\n!-~。，；]{0,6}[:：= ]{0,3}(?P<secret>[A-Za-z0-9]{3,8})(?![\w])",
        "PIN",
    ),
)
