"""Places: what recorded runs showed of commands in one repository or folder, as lines for people and for AGENTS.md.

A view over `CommandFact` and `CommandAttempt`: nothing is stored here. A place is known by its name alone; which scopes
it is read in follows from the caller's trust.
"""

from consolidation.places.knowledge import PlaceKnowledge, knowledge_of
from consolidation.places.known_places import KnownPlace, known_places, names_of
