"""The verbs of review about one memory: page, API, bulk, keys, help, history and tests are made from their records."""

from memos_site.review.verbs.attention import EDIT, PIN, SNOOZE
from memos_site.review.verbs.dismissal import DISMISS, RESTORE
from memos_site.review.verbs.promotion import DEMOTE, PROMOTE, REJECT, RETIRE
from memos_site.review.verbs.verb import Because, Offer, Verb, Verdict, Words

VERBS = {verb.name: verb for verb in (PROMOTE, DEMOTE, DISMISS, REJECT, RETIRE, RESTORE, PIN, SNOOZE, EDIT)}
OF_MANY = [verb for verb in VERBS.values() if verb.of_many]
