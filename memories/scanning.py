"""What asks for a second look in a text from outside: orders to a model, secrets, characters that nobody sees."""

import re

from memories import credentials, invisible

SECRET, INSTRUCTION, HIDDEN = credentials.FLAG, "instruction-like", "hidden characters"  # the flags of a memory


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

NOT_SEEN = (invisible.DIRECTION, invisible.ZERO_WIDTH, invisible.SMUGGLED)


def flags(*texts: str, by_a_person: bool = False) -> list[str]:
    """What asks for a second look in these texts. What a person teaches is an instruction: that is no flag."""
    text = "\n".join(texts)
    found = {
        SECRET: credentials.is_in(text),
        INSTRUCTION: not by_a_person and (OVERRIDE.search(text) or SECRECY.search(text) or ROLE.search(text)),
        HIDDEN: any(pattern.search(text) for pattern in NOT_SEEN),
    }
    return [flag for flag, match in found.items() if match]
