"""Store what happened: events, outcomes, conversations, working states. One transaction each."""

from memories.intake.episodes.closing import close_silent, judge, outcome, set_outcome
from memories.intake.episodes.conversations import conversation, conversations
from memories.intake.episodes.events import record_events
from memories.intake.episodes.new_rows import Ingested
from memories.intake.episodes.working_states import working_state
