"""Why a language model gave no usable answer. Each message is a sentence for people and never holds the key."""


class ModelError(Exception):
    """A question to the language model without a usable answer. `read`: the model may have read it, and it may cost."""

    read = True


class NotConfigured(ModelError):
    """The settings name no language model."""

    def __init__(self) -> None:
        super().__init__("no language model configured")


class TooSensitive(ModelError):
    """The text is above EXTERNAL_MAX_SENSITIVITY. Nothing was sent."""

    def __init__(self) -> None:
        super().__init__("above the sensitivity that may leave the installation")


class NotNow(ModelError):
    """Nothing can be asked for a while, whatever the text. `seconds`: how long to wait at least, None: not known."""

    def __init__(self, message: str, *, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


class DailyLimit(NotNow):
    """The tokens of this day are used up (LLM_DAILY_TOKENS). Nothing was sent."""


class Busy(NotNow):
    """Other processes make as many calls as may be made at once (LLM_CONCURRENCY). Nothing was sent."""


class Unavailable(NotNow):
    """The endpoint is down, slow or busy, or rejects any text (wrong key, address or model). `passing`: it may well be
    over in a moment; `by_text`: it may as well be this text at which it fails, while it answers others.
    """

    def __init__(
        self, message: str, *, seconds: float | None = None, passing: bool = True, by_text: bool = False
    ) -> None:
        super().__init__(message, seconds=seconds)
        self.passing, self.by_text = passing, by_text


class Refused(ModelError):
    """The endpoint works, but rejects this text, or the model refuses to answer it."""


class TooLong(Refused):
    """The text and its answer are more than the model's context holds. Half of it may be asked."""


class RejectedRequest(Refused):
    """The endpoint rejects the request as it is (400, 422): the text, or a field that it does not know."""


class Truncated(ModelError):
    """The answer ends before it is complete, because it reached the model's limit."""


class Unusable(ModelError):
    """The answer is not what was asked for. `answer`: its text."""

    def __init__(self, message: str, *, answer: str) -> None:
        super().__init__(message)
        self.answer = answer
