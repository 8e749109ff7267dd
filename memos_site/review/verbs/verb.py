"""What a verb of review is: its record, the decision that it is applied with, and its words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _
from pydantic import Field

from memories.api.shapes import Json, RequestBody
from memories.intake.edits import Edit
from memories.models import Memory
from memories.values.choices import Status
from memories.values.trust import Actor, Trust

Why = Annotated[str, Field(max_length=2_000)]
Text = Any  # a lazily translated text


@dataclass(frozen=True)
class Decision:
    """A decision to apply. `options`: those of the verb; `edit`: new words, written before any verb is applied."""

    verb: str
    trust: Trust
    at: datetime
    batch: UUID
    why: str = ""
    options: Json = field(default_factory=dict)
    edit: Edit | None = None

    @property
    def by(self) -> Actor:
        """The person or agent who decides."""
        return self.trust.actor

    @property
    def audit(self) -> dict[str, Any]:
        """Arguments of the models' decision methods, for the audit row."""
        return {"by": self.by, "at": self.at, "why": self.why, "batch": self.batch}


class Because(RequestBody):
    why: Why = ""

    @property
    def rationale(self) -> str:
        return self.why

    @property
    def details(self) -> Json:
        """The options of the verb, those that were given."""
        return self.model_dump(include=self.model_fields_set - {"why", "reason"})


@dataclass(frozen=True)
class Words:
    """The words for an action, with the placeholders `who`, `n`, `reason` and `day`.

    `done`: what was done, as in a history; `by`: who did it; `label`: of its button; `toast`: the answer to the person;
    `many`: of many rows, before, while and after it is done; `tally`: of how often it was done, by default `done`.
    """

    done: Text
    by: Text = ""
    label: Text = ""
    toast: Text = ""
    many: tuple[Text, Text, Text] = (_("Decide about %(n)s"), _("Deciding about %(n)s"), _("Decided %(n)s"))
    tally: Text = ""


@dataclass(frozen=True)
class Offer:
    """A button of a menu: the value of a form's `decision`, its words, and more about it."""

    decision: str
    label: Text
    note: str = ""


@dataclass(frozen=True)
class Verb:
    """A verb of review about one memory, which needs the permission `review`; what it writes, the audit trail undoes.

    `name`: in forms and addresses, and in the list of keys unless there is `help`. `act`: applies it to a memory that
    is locked; its docstring is that of the API's operation. `variants`: other words, where `variant` returns their name
    for the options of a decision. `statuses`: in which a memory may be. `audited`: the actions of its audit rows, by
    default the name. `body` and `example`: of a request. `options`: those of a Decision, read from what follows the
    name in a form, and the time; Invalid. `stored_options`: the same from JSON, of an audit row or a waiting order.
    `offers`: its buttons in the menu of a memory's page. `of_experience`: about
    episodes and working states too. `of_many`: an operation of the API, for many at once too. `is_tallied`: counted
    among what was decided today. `keeps_row`: afterwards the memory may wait in the inbox, as before or again. `keys`:
    that press what has its name as `data-does`, or open that menu of so many `choices`.
    """

    name: str
    act: Callable[[Memory, Decision], None]
    words: Words
    statuses: frozenset[Status]
    variants: Mapping[str, Words] = field(default_factory=dict)
    variant: Callable[[Mapping[str, Any]], str] = lambda _options: ""
    audited: tuple[str, ...] = ()
    body: type[Because] = Because
    example: Json = field(default_factory=dict)
    options: Callable[[str, datetime], Json] = lambda _rest, _now: {}
    stored_options: Callable[[Json], Json] = lambda _stored: {}
    offers: Callable[[Memory, datetime], list[Offer]] = lambda _memory, _now: []
    needs_reason: bool = False
    of_experience: bool = False
    of_many: bool = False
    is_tallied: bool = False
    keeps_row: bool = False
    keys: tuple[str, ...] = ()
    choices: int = 0
    help: Text = ""

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that its audit rows may have."""
        return self.audited or (self.name,)

    def words_of(self, options: Mapping[str, Any]) -> Words:
        """Return the words for this verb with the options of a decision, and `of_skill`: whether it is about one."""
        return self.variants.get(self.variant(options), self.words)
