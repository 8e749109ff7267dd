"""Template filters of accounts."""

from django import template

register = template.Library()

BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
SYSTEMS = {"Android": "Android", "iPhone": "iOS", "iPad": "iOS", "Windows": "Windows", "Mac OS": "macOS"}
SYSTEMS |= {"Linux": "Linux"}  # last, for Android says it too


@register.filter
def browser(user_agent: str) -> str:
    """Return browser and system of a User-Agent header; others as they name themselves."""
    name = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return " · ".join(filter(None, (name or user_agent[:40], system)))
