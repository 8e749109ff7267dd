"""What the language model is told to do, as plain text in English and Chinese."""

from functools import cache
from importlib import resources

from consolidation.learning.wording import Language
from memories.values.text import detect_lang


@cache
def prompt(name: str, language: Language) -> str:
    """The text of `{language}/{name}.md`."""
    return resources.files(__name__).joinpath(language, f"{name}.md").read_text(encoding="utf-8").strip()
