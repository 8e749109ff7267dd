"""Secrets that stand in command lines without a word beside them that names them: what a program encrypts or keeps."""

from memories.scanning.credential_kinds import kind

_QUOTE = r"(?:\\{0,3}['\"])?"
_GIVEN = rf"{_QUOTE}(?![-$<`'\"])(?P<secret>[^\s'\"|\\;&]{{3,256}})"
_ECHO = r"(?:echo|printf)(?: -\w{1,3}| ['\"]?%s(?:\\{1,2}n)?['\"]?){0,2} {1,3}"
_OPTIONS = r"(?: --?(?!name|stdin)[a-z-]{1,30}[ =][\w@./~-]{1,100}| (?:-n|--(?:stdin-)?name)[ =][\w'\"-]{1,60}){0,6}"
KINDS = (
    kind("encrypt_string ", rf"ansible-vault encrypt_string{_OPTIONS} {_GIVEN}"),
    kind(
        "encrypt_string|secret set|secret create|vault login -|vault kv put",
        rf"{_ECHO}{_GIVEN}{_QUOTE} ?\| ?(?:ansible-vault encrypt_string|gh secret set"
        r"|(?:docker|podman) secret create|vault (?:login -|kv put))",
    ),
    kind(  # the file of a vault's password
        "vault-pass|vault_pass|.vault|.pgpass",
        rf"{_ECHO}{_QUOTE}(?:[\w.*-]{{1,60}}:){{0,4}}{_GIVEN}{_QUOTE} ?>>? ?['\"]?[\w./~${{}}-]{{0,100}}"
        r"\.?(?:vault[_-]pass\w{0,8}|pgpass)\b",
    ),
    kind("secret set ", rf"gh secret set [^\n|;&]{{1,120}}?(?:-b|--body)[ =]{_GIVEN}"),
    kind("vault login ", rf"(?<![\w-])vault login (?!-){_GIVEN}(?!=)"),
    kind(
        "vault kv put ",
        rf"vault kv put [^\n|;&]{{1,200}}? (?!(?:user|login|host|port|url)\w{{0,8}}=)[\w.-]{{1,40}}={_GIVEN}",
    ),
    kind("from-literal", rf"--from-literal[ =]['\"]?[\w.-]{{1,60}}={_GIVEN}"),
    kind("openssl passwd ", rf"openssl passwd(?: -(?:\d|apr1|salt \S{{1,20}}|stdin)){{0,3}} {_GIVEN}"),
)
