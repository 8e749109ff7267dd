"""English verbs of what is asked for: in claims, by names of tools, of an agent. Each stands once."""

from memories.lexicon import words

_ALL = words(
    """
    accept add apply approve archive assign attach book buy call cancel change charge check clean close commit
    compile confirm copy create debug delete deliver deploy disable download draft edit email enable escalate export
    file fill fix format forward import include install invite issue list load lock log mail make mark merge move
    notify offer open order pay post prepare print process publish pull purchase push put quote read rebase record
    refund reject release remove rename replace reply report request reserve reset restart return review run save
    schedule search sell send set share ship show sign sort start store submit suggest summarize tag test transfer
    translate update upgrade upload use validate verify write
    """
)
_CLAIMS_AND_TOOLS = words(
    """
    build migrate pack remind renew resolve restore rotate scan stop sync track
    """
)
_CLAIMS_AND_WORK = words(
    """
    address answer ask backup bcc bill cc contact document encrypt give greet handle hide ignore inform invoice keep
    lint mention paste phone pick pin prefer repeat require reuse skip summarise text try wrap
    """
)
_TOOLS_AND_WORK = words(
    """
    append block calculate clear compare convert describe display estimate fetch flag generate hold insert label
    launch modify place plan query raise render reschedule respond revert rewrite route select split switch type
    wait withdraw
    """
)
# Common imperatives, by which the object of a claim is found.
IMPERATIVES = (
    _ALL
    | _CLAIMS_AND_TOOLS
    | _CLAIMS_AND_WORK
    | words(
        """
    avoid back compress cut delegate discuss monitor promise resend take tell train turn
    """
    )
)
# Verbs with which tool names begin.
OF_TOOLS = (
    _ALL
    | _CLAIMS_AND_TOOLS
    | _TOOLS_AND_WORK
    | words(
        """
    acknowledge activate adjust allocate analyze arrange authorise authorize ban classify click clone complete
    compose compute connect count deactivate decline detect discount dispatch drag drop emit enroll enter evaluate
    exchange exec execute expand expire extend extract fill find get grant grep hand index inspect invoke join kill
    link login look lookup map navigate parse patch pause ping play predict press promote queue rebook rebuild
    recommend redeem refresh refuse register reload reopen resize resume retire retrieve retry revoke rollback
    subscribe suspend swap think toggle transcribe transform trigger type undo unlock unsubscribe upsert view void
    """
    )
)
# What people ask of an agent or tool, as a bare verb. Advice among people ("never give up", "don't worry") has others.
WORK = (
    _ALL
    | _CLAIMS_AND_WORK
    | _TOOLS_AND_WORK
    | words(
        """
    abbreviate alert announce apologise apologize assume auto-merge begin blame bring bump bypass capitalise
    capitalize choose cite collect combine comment consult default disclose disturb double-check drain dump
    e-mail end ensure exclude explain expose filter fly follow force force-push group guess hardcode highlight
    implement increase indent interrupt leave limit localise localize lower mask message mount name negotiate
    omit output overwrite paginate perform prefix present prioritise prioritize produce propose provide redact
    redeploy reduce refactor refer reference reload reorder roll rotate round scale seat separate serve snapshot
    speak specify squash touch trade trim truncate uninstall version wake warn
    """
    )
)
# Verbs of tool names that are too general for a trigger.
VAGUE = words("update send run set make get put add modify edit create write open call use start do")

# What "don't" mostly says about one order or call.
SERVICE = words("bill cancel change charge close modify process refund return ship start transfer update")
# What people say of themselves as a lasting habit or wish: "I always want an aisle seat".
HABITS = WORK | words("deal drink drive eat need require sit stay travel want wear work")
