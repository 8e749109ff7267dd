"""Django's settings of the mail server that EMAIL_URL names."""

from typing import Any
from urllib.parse import unquote, urlsplit

CONSOLE = "django.core.mail.backends.console.EmailBackend"
SECONDS = 10  # that each word of the server may take
SUBMISSION = 587  # the port on which a server takes mail of users, after STARTTLS


def mail_settings(url: str) -> dict[str, Any]:
    """Return the settings by name. `smtps` is TLS from the first byte; `smtp` asks for STARTTLS on port 587 alone.

    An empty url writes mails to the log.
    """
    if not url:
        return {"EMAIL_BACKEND": CONSOLE}
    parts = urlsplit(url)
    secure = parts.scheme == "smtps"
    port = parts.port or (465 if secure else 25)
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": secure,
        "EMAIL_USE_TLS": port == SUBMISSION and not secure,
        "EMAIL_TIMEOUT": SECONDS,
    }
