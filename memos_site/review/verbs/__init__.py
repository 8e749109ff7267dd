"""The verbs of review about one memory: API, bulk, menu, keys, help, history and tests are made from their records.

A new one is a record in a module here and a name in VERBS; what it writes, a method of `memories/models/reviewable.py`.
Its own button, or one that its key presses, stands in a template with its name as `data-does` (of many: `data-many`).
"""

from memos_site.review.verbs.attention import EDIT, PIN, SNOOZE
from memos_site.review.verbs.dismissal import DISMISS, RESTORE
from memos_site.review.verbs.promotion import DEMOTE, PROMOTE, REJECT, RETIRE
from memos_site.review.verbs.verb import Because, Decision, Offer, Verb, Words

VERBS = {verb.name: verb for verb in (PROMOTE, DEMOTE, DISMISS, REJECT, RETIRE, RESTORE, PIN, SNOOZE, EDIT)}
OF_MANY = [verb for verb in VERBS.values() if verb.of_many]
