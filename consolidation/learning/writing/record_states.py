"""What a run has shown of records by the time of a call: of the one that it is about, and of those that this names."""

import re
from collections import defaultdict, deque
from collections.abc import Mapping, Set
from typing import Any

from consolidation.learning.facts.shown_records import given, numbers, records, states
from consolidation.learning.runs.call import Call

MOST_IDS = 24  # of one record, and that are known to stand beside an id
MOST_SHOWN = 20  # times that a record was shown, the latest
LARGEST = 1e9  # what is larger is a time or an id
_OF_NAMES = re.compile(
    r"(?:^|[_ -]|(?-i:(?<=[a-z])(?=[A-Z])))(?:ids?|no|nr|number|code|zip|key|version|year)$|号码?$", re.I
)

State = str | float


def described(record: Mapping[str, Any]) -> dict[str, State]:
    """Return the fields of an object that hold a few words, a boolean (as a word), or a number that names nothing."""
    counted = ((field, number) for field, number in numbers(record) if not _OF_NAMES.search(field))
    return {field: float(number) for field, number in counted if abs(number) < LARGEST} | dict(states(record))


class Records:
    """Records by the ids in them, those that were looked up by an id, and the ids that stand together."""

    def __init__(self) -> None:
        self._shown: dict[str, deque[Mapping[str, Any]]] = defaultdict(lambda: deque(maxlen=MOST_SHOWN))
        self._looked_up: dict[str, deque[Mapping[str, Any]]] = defaultdict(lambda: deque(maxlen=MOST_SHOWN))
        self._beside: dict[str, set[str]] = defaultdict(set)

    def read(self, call: Call) -> None:
        """Add the records in a result; one without an id is named by the id that the call sent."""
        sent = {key for _, key in given(call.arguments)}
        for record, names in records(call.returned):
            keys = {key for key, _ in names} or (sent if record is call.returned else set())
            for key in keys if len(keys) <= MOST_IDS else ():
                self._shown[key].append(record)
                if len(self._beside[key]) <= MOST_IDS:
                    self._beside[key] |= keys
                if key in sent:
                    self._looked_up[key].append(record)

    def about(self, call: Call) -> dict[str, State]:
        """Return the states of the records that a call names, and of those that were looked up by an id in these.

        What stands beside fewer ids tells more: a date stands in the records of a day, and none of them is meant.
        """
        keys = self._by_width({key for _, key in given(call.arguments)})
        others = [other for key in keys for other in self._by_width(self._beside.get(key, set()).difference(keys))]
        latest = [*(self._looked_up.get(other, ()) for other in others), *(self._shown.get(key, ()) for key in keys)]
        return {field: state for shown in latest for record in shown for field, state in described(record).items()}

    def _by_width(self, keys: Set[str]) -> list[str]:
        return sorted(keys, key=lambda key: (-len(self._beside.get(key, ())), key))
