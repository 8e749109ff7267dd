"""What asks for a second look in a text from outside: orders to a model, secrets, characters that nobody sees."""

import re

from memories import invisible

SECRET, INSTRUCTION, HIDDEN = "secret", "instruction-like", "hidden characters"  # the flags of a memory


def one_of(*patterns: str) -> re.Pattern[str]:
    """One pattern; repetitions are bounded, because the texts are an attacker's."""
    return re.compile("|".join(patterns), re.IGNORECASE | re.MULTILINE)


OVERRIDE = one_of(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|other|system|all)\b"
    r"[^.\n]{0,40}\b(?:instructions?|prompts?|rules|messages|guidelines)\b",
    r"(?:忽略|无视|忘记|不要理会)[^。\n]{0,20}(?:指令|指示|提示|规则|要求)",
    r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|</?(?:system|assistant)>",
)
SECRECY = one_of(
    r"\b(?:do not|don't|never|without)\b[^.\n]{0,20}\b(?:tell|inform|mention|reveal|show|ask)(?:s|ing)?"
    r"\b[^.\n]{0,30}\b(?:the )?(?:user|human|operator|anyone)\b",
    r"(?:不要|别|勿|不得)[^。\n]{0,6}(?:告诉|告知|提及|透露)[^。\n]{0,10}(?:用户|任何人|使用者)",
)
ROLE = one_of(
    r"\byou are now\b|\bnew (?:system )?instructions\s*:",
    r"\b(?:system|developer) prompt\b|\bdeveloper mode\b|\bjailbreak",
    r"你现在是|系统提示词|新的指令",
)
# Keys as their issuers write them, and what stands after the word that names it.
SECRETS = re.compile(
    r"-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_\w{22,255}"
    r"|\bglpat-[\w-]{20,64}|\bxox[abeoprs]-[A-Za-z0-9-]{10,255}|\bAIza[\w-]{35}\b"
    r"|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}|\bsk-(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{20,255}|\bmemos_[0-9a-f]{8}_[\w-]{43}"
    r"|\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}"
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,100}:[^\s:/@]{3,200}@"
    r"|(?i:\b(?:pass(?:word|wd|phrase)|pwd|secret(?:[ _-]?key)?|api[ _-]?key|access[ _-]?(?:key|token)|auth[ _-]?token"
    r"|private[ _-]?key|bearer)\b['\"]?[ \t]{0,3}(?:[:=]|\bis\b)[ \t]{0,3}['\"]?)"
    r"(?=[^\s'\"]{0,64}[\d!#$%&*+/=?^_~])[^\s'\"]{6,256}"
    r"|(?:密码|口令|密钥|令牌)[ ]{0,2}(?:是|为|:|：)[ ]{0,2}[!-~]{6,256}"
)


NOT_SEEN = (invisible.DIRECTION, invisible.ZERO_WIDTH, invisible.SMUGGLED)


def flags(*texts: str, by_a_person: bool = False) -> list[str]:
    """What asks for a second look in these texts. What a person teaches is an instruction: that is no flag."""
    text = "\n".join(texts)
    found = {
        SECRET: SECRETS.search(text),
        INSTRUCTION: not by_a_person and (OVERRIDE.search(text) or SECRECY.search(text) or ROLE.search(text)),
        HIDDEN: any(pattern.search(text) for pattern in NOT_SEEN),
    }
    return [flag for flag, match in found.items() if match]
