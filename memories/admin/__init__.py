"""Admin pages: operators read every row within their trust, and change only what no domain operation changes."""

from memories.admin import records
