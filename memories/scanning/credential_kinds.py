"""Keys in the formats of their issuers, which need no words around them, and the shape of a kind of credential."""

import re
from typing import NamedTuple

_BEGINS = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
_BEGUN = r"(?:(?<![A-Za-z0-9].)|(?<=\\[nrt].))"  # the same, behind the first character

BEFORE, AFTER = 100, 130  # characters around a literal in which a match is found; it may go on behind them


class Kind(NamedTuple):
    """A kind of credential.

    `literals`: in lower case; a match begins at most `before` characters before one of them and is told within `after`.
    Without literals it is tried on the whole text: a pattern that begins with a set of characters costs little. The
    group `secret` of a match is masked. `name`: what it is called where it was removed.
    """

    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    name: str
    before: int = BEFORE
    after: int = AFTER


def kind(literals: str, pattern: str, name: str = "password", *around: int) -> Kind:
    return Kind(tuple(filter(None, literals.split("|"))), re.compile(pattern), name, *around)


def _issued_token(literals: str, pattern: str, *around: int) -> Kind:
    return kind(literals, rf"{_BEGINS}(?P<secret>{pattern})", "key", *around)


_PEM = (
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"[^-]{0,10000}(?:-(?!----)[^-]{0,2000}){0,20}(?:-----END [A-Z0-9 ]{1,60}-----)?"
)
_BROKEN = r"(?:(?:\\{1,4}r)?\\{1,4}n|\r?\n)[ \t]{0,8}(?:#|//|\*)?[ \t]{0,8}"  # also within a comment
WITH_SPACES = (
    _issued_token(  # over two lines, by their length
        "ghp_|gho_|ghu_|ghs_|ghr_|npm_", rf"(?:gh[pousr]|npm)_(?=\w{{0,35}}(?:{_BROKEN})\w)(?:\w(?:{_BROKEN})?){{35}}\w"
    ),
    _issued_token(
        "akia|asia|abia|acca|aiza|glpat-|k_live_|k_test_|sk-|github_pat_|xox|hf_|pypi-|ltai|memos_|eyj",
        rf"(?:A(?:KI|SI|BI|CC)A|AIza|glpat-|[rs]k_(?:live|test)_|sk-|github_pat_|xox[abceoprs]-|hf_|pypi-|LTAI|memos_|eyJ)"
        rf"[\w-]{{4,100}}(?:{_BROKEN})(?=[A-Za-z_-]{{0,40}}\d)(?=[\d_-]{{0,40}}[A-Za-z])[\w-]{{6,200}}(?=[\s\\\"'`.,;]|\Z)",
    ),
    kind("-----begin ", rf"(?P<secret>{_PEM})", "key"),
    _issued_token(  # such a key in base64, as a kubeconfig and a Secret of Kubernetes hold it
        "ls0tls1crudjti",
        r"LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJVkFU|FQyBQUklWQVRF|PUEVOU1NIIF|FTkNSWVBURUQg|EU0EgUFJJVkFU|QR1AgUFJJVkFU)"
        rf"[A-Za-z0-9+/]{{0,20000}}+(?:{_BROKEN}[A-Za-z0-9+/]{{16,100}})*={{0,2}}",
    ),
    _issued_token("akia|asia", r"A[KS]IA(?=[A-Z0-9 -]{0,24}[2-7])(?:[ -][A-Z0-9]{4}){4}(?![A-Za-z0-9])"),
    _issued_token("a k i a|ak ia", r"A ?K ?I ?A(?=[A-Z0-9 ]{0,32}[2-7])(?: ?[A-Z0-9]){16}(?![A-Za-z0-9])"),
)
ISSUED = (  # one run of characters
    _issued_token("age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}"),
    _issued_token("akia|asia|abia|acca", r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _issued_token("ltai|akid|aklt|akcp", r"(?:LTAI[45]?|AKID|AKLT|AKCp)(?=[A-Za-z]{0,30}\d)[A-Za-z0-9]{12,80}"),
    _issued_token("ghp_|gho_|ghu_|ghs_|ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _issued_token("github_pat_", r"github_pat_\w{22,255}"),
    _issued_token("glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glsoat-|gloas-|glagent-", r"gl[a-z]{2,6}-[\w.-]{20,100}"),
    _issued_token("xox|xapp-", r"(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,255}"),
    _issued_token("hooks.slack.com/", r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w/]{20,200}"),
    _issued_token("/api/webhooks/", r"(?<=/api/webhooks/)\d{15,22}/[\w-]{50,100}"),
    _issued_token("aiza", r"AIza[\w-]{35}(?![\w-])"),
    _issued_token("ya29.|gocspx-|1//0", r"(?:ya29\.[\w.-]{20,2000}|GOCSPX-[\w-]{20,40}|1//0[\w-]{30,200})"),
    _issued_token(
        "k_live_|k_test_|whsec_|rzp_", r"(?:[rs]k_(?:live|test)|whsec|rzp_(?:live|test))_[A-Za-z0-9+/]{14,255}={0,2}"
    ),
    _issued_token("sk-", r"sk-(?=[\w-]{0,64}\d)(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{20,255}"),
    _issued_token("memos_", r"memos_[0-9a-f]{8}_[\w-]{43}"),
    _issued_token(
        "eyj",
        r"eyJ[\w-]{10,2000}\.(?:eyJ[\w-]{10,4000}(?:\.[\w-]{0,2000})?|[\w-]{20,2000}\.[\w-]{10,4000}(?:\."
        r"[\w-]{10,4000}){0,2})",
        0,
        4_100,
    ),
    _issued_token("sg.", r"SG\.[\w-]{16,64}\.[\w-]{16,64}"),
    _issued_token(
        "npm_|hf_|gsk_|r8_|figd_|fo1_|ntn_|pnu_",
        r"(?:(?:npm|hf|gsk|r8|figd|fo1|ntn|pnu)_(?=[A-Za-z]{0,60}\d)[\w-]{28,255}|hf_[A-Za-z]{34}(?![\w-]))",
    ),
    _issued_token("pypi-", r"pypi-(?=[\w-]{0,40}\d)[\w-]{30,500}"),
    _issued_token("dop_v1_|doo_v1_|dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _issued_token("shpat_|shpca_|shppa_|shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _issued_token("sq0", r"sq0[a-z]{3}-[\w-]{22,50}"),
    _issued_token("eaa", r"EAA[A-Z](?=[A-Za-z]{0,60}\d)[\w-]{56,300}"),
    _issued_token(":aa", r"\d{8,11}:AA[\w-]{30,40}"),
    _issued_token("dapi", r"dapi[0-9a-f]{32}(?:-\d)?"),
    _issued_token(
        "hvs.|hvb.|hvr.|.atlasv1.|dp.",
        r"(?:hv[sbr]\.[\w-]{20,300}|\w{14}\.atlasv1\.[\w-]{50,80}|dp\.[a-z]{2,6}\.[\w.-]{30,60})",
    ),
    _issued_token("glsa_|glc_|eyjrijoi", r"(?:glsa|glc)_[\w=+/]{30,400}"),
    _issued_token(
        "lin_api_|dckr_|rubygems_|sntry|sbp_|sb_secret_|vercel_|lsv2_|pcsk_|nvapi-|pplx-|xai-|tskey-|pmak-|nrak-|pul-|xkeysib-",
        r"(?:lin_api_|dckr_[a-z]{3}_|rubygems_|sntry[su]_|sbp_|sb_secret_|vercel_[a-z_]{0,12}|lsv2_(?:pt"
        r"|sk)_|pcsk_|nvapi-|pplx-|xai-"
        r"|tskey-(?:[a-z]{3,8}-)?|PMAK-|NRAK-|pul-|xkeysib-)(?=[A-Za-z_.-]{0,60}\d)[\w+/=.-]{20,400}",
    ),
    _issued_token("atatt3|atctt3|atbb", r"(?:AT[AC]TT3|ATBB)[\w=-]{20,300}"),
    _issued_token(
        "hrku-|cfpat-|tfp_|rdme_|dt0c01.|shippo_",
        r"(?:HRKU-|CFPAT-|tfp_|rdme_[a-z0-9]{0,4}|dt0c01\.|shippo_(?:live|test)_)[\w.-]{24,150}",
    ),
    _issued_token("sl.", r"sl\.(?:u\.)?[\w-]{100,300}"),
    _issued_token("pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _issued_token("secret_", r"secret_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{40,50}"),
    _issued_token("key-", r"key-[0-9a-f]{32}(?![\w-])"),
    _issued_token("-us", r"[0-9a-f]{32}-us\d{1,2}(?!\w)"),
    kind(
        "",
        rf"(?P<secret>[AMNOS]{_BEGUN}(?:(?:(?<=S)K|(?<=A)C)(?=[a-f]{{0,31}}\d)[0-9a-f]{{32}}(?![\w-])"
        r"|(?<=[MNO])[A-Za-z\d]{22,26}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])))",
        "key",
    ),
    _issued_token("8q~|7q~", r"[\w~.]{3}[78]Q~[\w~.-]{31,34}"),
    _issued_token("access-", r"access-(?:sandbox|development|production)-[0-9a-f-]{36}"),
)
