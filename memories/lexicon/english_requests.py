"""English words of requests, which describe a run."""

from memories.lexicon import words

# Between two words of one term: cancel my flight is about "cancel flight", "cancel or change" is not one.
LIGHT = words("of a an the my our this that these those any all some one")

# Generic words of requests: triggers only where a tool's name holds them.
GENERIC = words(
    """
    actual additional already appear available behavior behaviour bug case cases choice clear command commands
    confirmation confirmations correct exact exactly honestly identify locate member next paid process quickly started
    current data default detail different difference differences ensure environment error example extra fails file
    files final find fix found full general guide hours include instance issue item items keep keeping kind last level
    line lines list locate long lower main message method missing mobile mode model models module name new next
    object old option options original outcome package part phone picked placed point problem product program project
    proper recent regular related request required result results robust run second section set several
    simple single small sort source specific standard started state status step steps stuff summary system target task
    test tests text title tool tools top total type types upcoming used user value values version whole work working
    works
    """
)

# Between the verb of a tool's name and what it is about.
OF_TOOL_NAMES = words("as at by for from in into of on onto to via with")
