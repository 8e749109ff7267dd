"""Secrets as they are entered: into command lines, without a word beside them that names them; and into forms, by what
the field is called: in the arguments of a browser's tools, in the code that drives one, in what it prints of a page."""

import re

from memories.scanning.credential_kinds import kind

_QUOTE = r"(?:\\{0,3}['\"])?"
_TYPED = rf"{_QUOTE}(?![-$<`'\"])(?P<secret>[^\s'\"|\\;&]{{3,256}})"
_ECHO = r"(?:echo|printf)(?: -\w{1,3}| ['\"]?%s(?:\\{1,2}n)?['\"]?){0,2} {1,3}"
_OPTIONS = r"(?: --?(?!name|stdin)[a-z-]{1,30}[ =][\w@./~-]{1,100}| (?:-n|--(?:stdin-)?name)[ =][\w'\"-]{1,60}){0,6}"
_IN_COMMANDS = (
    kind("encrypt_string ", rf"ansible-vault encrypt_string{_OPTIONS} {_TYPED}"),
    kind(
        "encrypt_string|secret set|secret create|vault login -|vault kv put",
        rf"{_ECHO}{_TYPED}{_QUOTE} ?\| ?(?:ansible-vault encrypt_string|gh secret set"
        r"|(?:docker|podman) secret create|vault (?:login -|kv put))",
    ),
    kind(  # the file of a vault's password
        "vault-pass|vault_pass|.vault|.pgpass",
        rf"{_ECHO}{_QUOTE}(?:[\w.*-]{{1,60}}:){{0,4}}{_TYPED}{_QUOTE} ?>>? ?['\"]?[\w./~${{}}-]{{0,100}}"
        r"\.?(?:vault[_-]pass\w{0,8}|pgpass)\b",
    ),
    kind("secret set ", rf"gh secret set [^\n|;&]{{1,120}}?(?:-b|--body)[ =]{_TYPED}"),
    kind("vault login ", rf"(?<![\w-])vault login (?!-){_TYPED}(?!=)"),
    kind(
        "vault kv put ",
        rf"vault kv put [^\n|;&]{{1,200}}? (?!(?:user|login|host|port|url)\w{{0,8}}=)[\w.-]{{1,40}}={_TYPED}",
    ),
    kind("from-literal", rf"--from-literal[ =]['\"]?[\w.-]{{1,60}}={_TYPED}"),
    kind("openssl passwd ", rf"openssl passwd(?: -(?:\d|apr1|salt \S{{1,20}}|stdin)){{0,3}} {_TYPED}"),
)
_Q = r"\\{0,3}['\"]"
_WORD = (
    r"(?i:passwor[dt]|passwd|pass-?phrase|passcode|kennwort|contrase[nñ]a|mot de passe|密码"
    r"|(?:client|app|shared|webhook|api)[ _-]?secret|(?:api|access|secret)[ _-]?key)"
)
_BEHIND = r"(?i:[ _-]?(?:\*|field|input|box|text ?box|confirm(?:ation)?|again|repeat|new|value|\(\w{1,12}\)|\d)){0,3}"
LABEL = rf"[^\"'\n\\:]{{0,40}}{_WORD}{_BEHIND}"
IS_LABEL = re.compile(LABEL)
NAMES, VALUES = ("name", "key", "element", "label", "field", "selector"), ("value", "text")
_LITERALS = (
    "passw|passphrase|pass-phrase|passcode|kennwort|contrase|mot de passe|密码|api key|api_key|api-key|secret|_key"
)
_HIDDEN = r"(?P<secret>(?!\[)[^\s'\"\\]{3,200})"
_FILLS = r"(?:fill|type|pressSequentially|press_sequentially|send_keys|sendKeys|setValue|set_value)"
_MORE = rf"(?:, ?{_Q}\w{{1,20}}{_Q}: ?(?:{_Q}[^\"\n\\]{{0,120}}{_Q}|true|false|null|\d{{1,9}})){{0,4}}, ?"
_NAMED = rf"{_Q}(?:{'|'.join(NAMES)}){_Q}: ?{_Q}{LABEL}{_Q}"
_GIVEN = rf"{_Q}(?:{'|'.join(VALUES)}){_Q}: ?{_Q}{_HIDDEN}{_Q}"
_IN_FORMS = (
    kind(_LITERALS, rf"{_NAMED}{_MORE}{_GIVEN}", "password", 100, 500),
    kind(_LITERALS, rf"{_GIVEN}{_MORE}{_NAMED}", "password", 400, 100),
    kind(  # page.getByLabel('Password').fill('...')
        _LITERALS, rf"{_WORD}{_BEHIND}{_Q}[^\n;]{{0,30}}?\.{_FILLS}\(\s*{_Q}{_HIDDEN}{_Q}", "password"
    ),
    kind(  # page.fill('input[type="password"]', '...')
        _LITERALS, rf"\b{_FILLS}\([^\n,]{{1,40}}?{_WORD}{_BEHIND}[^\w,\n]{{1,8}},\s*{_Q}{_HIDDEN}{_Q}", "password"
    ),
    kind(  # - textbox "Password" [ref=e12]: ...   uid=1_2 textbox "Password" value="..."
        _LITERALS,
        rf"\btextbox {_Q}{LABEL}{_Q}(?:(?: \[[^\]\n]{{0,40}}\]){{0,6}}: {_Q}?|[^\n]{{0,80}}? value={_Q}){_HIDDEN}",
        "password",
    ),
    kind(  # agent-browser find label "Password" fill ...
        _LITERALS, rf"\b(?:label|placeholder) {_Q}{LABEL}{_Q} (?:fill|type) (?:{_Q})?{_HIDDEN}", "password"
    ),
)
KINDS = (*_IN_FORMS, *_IN_COMMANDS)
