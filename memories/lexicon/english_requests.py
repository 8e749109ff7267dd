"""English words of requests and of tools' messages: what describes a run, and what may be quoted."""

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

# Words of error messages: always quotable, never a person's name.
PLAIN = words(
    """
    access account active add all allowed already amount and any are argument arguments as at authentication
    authorized available bad balance be because been before build call called can cannot card change changed check
    closed code command compile conflict connection could create data date day days declared deleted denied details
    directory disabled does doesn't duplicate email empty enough error exceeded exception exist existing exists
    expected expired fail failed failure fatal field file files flight for forbidden format found from function
    given has have id import in index input insufficient internal invalid is it item items json key large limit line
    lint list locked long match method missing module must name network no non not null number object of on only
    operation option or order out package page parameter parse password path payment pending permission please
    process processed quantity quota range rate reached read refused rejected request required reservation resource
    response result return rule runtime same seats server service session set size status stock string such support
    supported syntax system table test tests than that the this time timed timeout to token too total transaction
    type unable unavailable undefined unexpected unknown unused update use used user valid value variable was while
    with write wrong yet you
    """
)
