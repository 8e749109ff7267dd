"""What a run has shown of records by the time of a call: of the one that it is about, and of those that this names."""

import re
from collections import defaultdict, deque
from collections.abc import Mapping, Set
from typing import Any

from consolidation.learning.facts.shown_records import keyed_values, numbers, records, states
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
    number_fields = ((field, number) for field, number in numbers(record) if not _OF_NAMES.search(field))
    return {field: float(number) for field, number in number_fields if abs(number) < LARGEST} | dict(states(record))


def ids_in(call: Call) -> frozenset[str]:
    """Return the ids among the arguments of a call."""
    return frozenset(key for _, key in keyed_values(call.arguments))


class Records:
    """Records by the ids in them, those that were looked up by an id, and the ids that stand together."""

    def __init__(self) -> None:
        self._shown: dict[str, deque[Mapping[str, Any]]] = defaultdict(lambda: deque(maxlen=MOST_SHOWN))
        self._looked_up: dict[str, deque[Mapping[str, Any]]] = defaultdict(lambda: deque(maxlen=MOST_SHOWN))
        self._beside: dict[str, set[str]] = defaultdict(set)

    def read(self, call: Call) -> None:
        """Add the records in a result; one without an id is named by the id that the call sent."""
        sent_ids = ids_in(call)
        for record, names in records(call.parsed_result):
            keys = {key for key, _ in names} or (sent_ids if record is call.parsed_result else set())
            for key in keys if len(keys) <= MOST_IDS else ():
                self._shown[key].append(record)
                if len(self._beside[key]) <= MOST_IDS:
                    self._beside[key] |= keys
                if key in sent_ids:
                    self._looked_up[key].append(record)

    def about(self, ids: Set[str], *, first: bool = False) -> dict[str, State]:
        """Return the states of the records with these ids, and of those that were looked up by an id in these, each as
        last shown, or as shown at first.

        Of equal fields those of the id that stands beside fewer ids hold: a date is in all records of a day.
        """
        keys = self._by_width(ids)
        other_ids = [other for key in keys for other in self._by_width(self._beside.get(key, set()).difference(keys))]
        by_id = [*(self._looked_up.get(other, ()) for other in other_ids), *(self._shown.get(key, ()) for key in keys)]
        in_order = (record for records in by_id for record in (reversed(records) if first else records))
        return {field: state for record in in_order for field, state in described(record).items()}

    def _by_width(self, keys: Set[str]) -> list[str]:
        return sorted(keys, key=lambda key: (-len(self._beside.get(key, ())), key))
