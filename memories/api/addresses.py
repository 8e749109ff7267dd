"""What may stand in an address."""

from django.urls.converters import StringConverter


class AnyTextConverter(StringConverter):
    """The rest of the address, slashes and line breaks included: a caller's own name of something."""

    regex = "(?s:.+)"
