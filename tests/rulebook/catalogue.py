"""What the agents of the random test say: statements whose likeness is known beforehand, not computed."""

from dataclasses import dataclass

from memories.values.choices import Category


@dataclass(frozen=True)
class Statement:
    """`subject` and `value` make the claim; `text` is one wording of it."""

    subject: str
    value: str
    text: str
    category: Category

    def says_the_same_as(self, other: "Statement") -> bool:
        return (self.subject, self.value) == (other.subject, other.value)

    def contradicts(self, other: "Statement") -> bool:
        """A changed claim: of one subject, and it cannot be put down to other words."""
        return self.subject == other.subject and self.value != other.value


def _claim(subject: str, category: Category, **wordings: list[str]) -> list[Statement]:
    return [Statement(subject, value, text, category) for value, texts in wordings.items() for text in texts]


STATEMENTS = [
    *_claim(
        "terms",
        Category.FACT,
        net30=["Acme pays on net-30 terms", "Acme pays net 30 terms"],
        net60=["Acme pays on net-60 terms"],
    ),
    *_claim(
        "channel",
        Category.PREFERENCE,
        slack=["The team prefers Slack over email for reviews"],
        email=["The team prefers email over Slack for reviews"],
    ),
    *_claim(
        "tracker",
        Category.WORKFLOW,
        run=["After the weekly review run the follow-up tracker", "After weekly reviews run the follow-up tracker"],
        leave=["After the weekly review never run the follow-up tracker"],
    ),
    *_claim(
        "backlog",
        Category.PATTERN,
        five=["Globex invoices arrive 5 days late"],
        nine=["Globex invoices arrive 9 days late"],
    ),
]
SUBJECTS = sorted({statement.subject for statement in STATEMENTS})


def about(subject: str) -> list[Statement]:
    return [statement for statement in STATEMENTS if statement.subject == subject]


BY_TEXT = {statement.text: statement for statement in STATEMENTS}
