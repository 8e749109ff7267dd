"""English words. Each list says what it is for; its users are those that import it."""

from memories.lexicon import words

# Grammar, politeness and the words that only say that something is to be remembered. No negation may stand here.
_MOST_FREQUENT_GRAMMAR = words(
    """
    a all am an and any are as at be but by can could do does for from had has have how i if in is it just me my of
    on or our please so that the there this to was we were what will with would you your
    """
)
_GRAMMAR = _MOST_FREQUENT_GRAMMAR | words(
    """
    about actually again also anyone anything anyway because been being did doing each either else every get gets
    going got having he her here hers him his into its itself kindly let ll may might mine must myself ok one other
    ours out own quite rather re really remember she should some such sure than their them then these they those too
    upon us ve very via when where which while who whom whose why yes yours
    """
)
# They say nothing of what a run looks like. Grammar only: what people want is often said in words that are frequent
# elsewhere ("change", "back", "two").
STOP_OF_LIKENESS = _MOST_FREQUENT_GRAMMAR | words("i'd i'm no not")
# They say nothing of a claim.
STOP = _GRAMMAR | words(
    """
    always both corp corporation done ever further gmbh inc llc ltd note onto onwards plc reminder s shall t theirs
    thus yet
    """
)
# They are in every request, and say nothing of what a run is about.
STOP_OF_REQUESTS = _GRAMMAR | words(
    """
    able after afternoon agent alright another appreciate around asked assist assistance assistant back before
    believe best bit bonjour can't cannot certainly check checking code come confirm confirmed consider couldn't
    couple course currently dear details didn't difficult doesn't don't down due easy eight email even evening
    everything except expect expected experienced feeling few fine first five forward four getting give go good
    great handle happy hasn't haven't hear hello help helped helps hey hi hope hopefully hoping however i'd i'll i'm
    i've id ids info information instead isn't it's kind know less let's like likely longer look looking looks lot
    lovely made make makes making many matter maybe mean moment more morning most much need needed needing needs
    neither nice nine no not now number numbers off okay once ones only others over past perhaps place possible
    pretty proceed proceeding provide provided question questions quick quickly reaching read ready reason recall
    receive received recently right said same say saying see sent seven showing since situation six somebody somehow
    someone something soon sorry specifically start still support take tell ten thank thanks that's there's they're
    thing things think though three through time today try trying two under understand unfortunately until up use
    username using want wanted wanting wants wasn't way we'd we'll we're we've well what's whether wish within
    without won't wonder wondering would've wouldn't you'd you'll you're you've
    """
)

DENIALS = words(
    """
    not no never none nobody nothing nowhere neither cannot aint avoid avoids avoiding avoided refrain dont doesnt didnt
    isnt arent wasnt werent wont cant couldnt shouldnt wouldnt mustnt hasnt havent hadnt neednt
    """
)
LACKS = words("without lacking")

# antonyms: read as the negation of the other word
OPPOSITES = {
    "dislike": "like", "dislikes": "like", "disliked": "like", "disliking": "like",
    "disable": "enable", "disables": "enable", "disabled": "enabled", "disabling": "enabling",
    "disallow": "allow", "disallows": "allow", "disallowed": "allowed", "forbid": "allow", "forbids": "allow",
    "forbidden": "allowed", "prohibit": "allow", "prohibits": "allow", "prohibited": "allowed", "deny": "allow",
    "exclude": "include", "excludes": "include", "excluded": "included", "excluding": "including",
    "disagree": "agree", "disagrees": "agree", "distrust": "trust", "distrusts": "trust",
    "inactive": "active", "unavailable": "available", "unable": "able", "impossible": "possible",
    "incorrect": "correct", "invalid": "valid", "unsafe": "safe", "unsupported": "supported", "untrue": "true",
    "unpaid": "paid", "unsigned": "signed", "unconfirmed": "confirmed", "unhappy": "happy", "unsubscribe": "subscribe",
    "unsubscribed": "subscribed", "uninstall": "install", "undesirable": "desirable", "unwanted": "wanted",
}  # fmt: skip

POLES = {
    "increase": "up", "increases": "up", "increased": "up", "raise": "up", "raises": "up", "raised": "up",
    "decrease": "down", "decreases": "down", "decreased": "down", "lower": "down", "lowers": "down", "lowered": "down",
    "reduce": "down", "reduces": "down", "reduced": "down",
}  # fmt: skip
SIDES = {"before": "before", "until": "before", "till": "before", "prior": "before", "after": "after", "since": "after"}
DAYPARTS = {
    "morning": "morning", "mornings": "morning", "afternoon": "afternoon", "afternoons": "afternoon",
    "evening": "evening", "evenings": "evening", "night": "night", "nights": "night",
}  # fmt: skip
FREQUENCIES = {
    "hourly": "hour", "daily": "day", "weekly": "week", "fortnightly": "2 week", "biweekly": "2 week",
    "monthly": "month", "quarterly": "quarter", "yearly": "year", "annually": "year", "annual": "year",
}  # fmt: skip

# kind and value of a word; the first list that holds it wins
KINDS = (
    ("stop", dict.fromkeys(STOP, "")),
    ("negation", dict.fromkeys(DENIALS, "")),
    ("lack", dict.fromkeys(LACKS, "")),
    ("side", SIDES),
    ("pole", POLES),
    ("daypart", DAYPARTS),
    ("frequency", FREQUENCIES),
)

# phrases with one meaning; the sign after the colon replaces them in the scanner ("" = removed)
PHRASES = {
    "not only": "", "whether or not": "", "or not": "", "no doubt": "", "no matter": "", "no problem": "",
    "never mind": "", "if not": "", "from now on": "", "going forward": "", "keep in mind": "", "make sure": "",
    "be sure to": "", "no later than": "side:before", "not later than": "side:before", "no earlier than": "side:after",
    "not earlier than": "side:after", "not before": "side:after", "no more than": "bound:most",
    "not more than": "bound:most", "at most": "bound:most", "up to": "bound:most", "no less than": "bound:least",
    "not less than": "bound:least", "no fewer than": "bound:least", "not fewer than": "bound:least",
    "at least": "bound:least", "not exceed": "bound:most", "does not exceed": "bound:most", "instead of": "order:>",
    "rather than": "order:>", "as opposed to": "order:>", "in place of": "order:>", "ahead of": "order:>",
    "in favor of": "order:<", "in favour of": "order:<", "no longer": "negation:", "not any longer": "negation:",
    "any more": "", "with no": "lack:", "e-mail": "word:email", "e-mails": "word:email", "not at all": "negation:",
}  # fmt: skip

PREFERRING = words(
    """
    prefer prefers preferred preferring choose chooses chose favor favors favour favours like likes use uses using pick
    picks want wants rather take takes
    """
)
# skipped between a comparison and its terms
LIGHT = words(
    """
    use uses using send sends sending contact contacts contacting better best more most faster slower rather prefer
    prefers preferred preferring favor favors favour favours choose chooses like likes want wants pick picks option
    """
)
WORSE = words("less worse")

# at the start of a sentence a capital letter is no evidence of a name; one of these verbs after it is
SUBJECT_OF = words(
    """
    is was has had will can may must should does did prefers pays likes wants needs uses works lives owns runs hates
    loves dislikes sends requires handles manages expects asks says reports leads heads joined left became covers
    approves signs buys sells charges accepts refuses speaks knows calls replies answers writes reads takes gives makes
    isn't wasn't hasn't hadn't won't can't cannot mustn't shouldn't doesn't didn't never always usually often also
    """
)
ACTS = SUBJECT_OF - words(
    """
    is was has had will can may must should does did isn't wasn't hasn't hadn't won't can't cannot mustn't shouldn't
    doesn't didn't never always usually often also
    """
)

# words before a verb, besides negations
VERB_FOLLOWS = words(
    """
    always please kindly to must should shall will would can could may might do does did just also i we you they he she
    """
)
PARTICLES = words("up down out off over back away")  # back UP the database
# after an imperative these are more often its object than a verb
PLURALS = words("answers asks calls charges covers heads leads lives reads replies reports runs signs uses works needs")
RESULTATIVE = words("keep keeps make makes leave leaves mark marks get gets set sets find finds")  # keep it SHORT
# words that end a noun phrase
PREPOSITIONS = words(
    """
    above across against along among around behind below beneath beside besides between beyond despite during except
    inside like near outside over past per through throughout toward towards under underneath unless within than
    """
)
PASSIVE = words("be is are was were been being")
_POINTING = words("a an the our my your their his her its this that these those")
DETERMINERS = _POINTING | words("any all each every some such us me")
# Before a name they are no part of it, with a capital letter too: "The Acme contract".
OPENERS = _POINTING | words("in on at for when if")
ADVERBS = words(
    """
    late early fast slow soon again first last twice once often instead today tomorrow later together separately daily
    weekly monthly only ever usually back out up down over away twice well automatically
    """
)

IRREGULAR = {
    "sent": "send", "paid": "pay", "made": "make", "met": "meet", "told": "tell", "wrote": "write", "written": "write",
    "bought": "buy", "kept": "keep", "held": "hold", "said": "say", "chose": "choose", "chosen": "choose",
    "gave": "give", "given": "give", "took": "take", "taken": "take", "ran": "run", "began": "begin", "begun": "begin",
    "spoke": "speak", "spoken": "speak", "knew": "know", "known": "know", "spent": "spend", "sold": "sell",
    "built": "build", "brought": "bring", "thought": "think", "taught": "teach", "led": "lead", "drove": "drive",
    "driven": "drive", "forgot": "forget", "forgotten": "forget", "people": "person", "clients": "client",
    "favourite": "favorite", "favour": "favor", "favours": "favor", "colour": "color", "colours": "color",
    "behaviour": "behavior", "organisation": "organization", "emails": "email", "mails": "mail",
}  # fmt: skip
ABBREVIATIONS = words("dr mr mrs ms prof st vs etc eg ie no approx jan feb mar apr jun jul aug sep sept oct nov dec")

# Things of a series, told apart by their number. Not what its next number replaces: "version 2 is deployed" contradicts
# version 3, and so does a port.
SERIES = words(
    """
    account agent appointment batch booking bug building bus case chapter claim client cluster contract customer
    delivery device document employee episode experiment feature flight floor gate house incident instance item job
    lane lesson line lot machine meeting message milestone module node order page parcel participant passenger
    patient payment phase player pod policy problem product project question queue quote receipt region request
    review robot room row rule sample scenario section sensor server session shard shelf shift shipment site sprint
    stage station step store student supplier table task team tenant terminal test thread ticket track trial truck
    unit user vehicle vendor vm warehouse worker zone
    """
)
# These are verbs too: in "order 5 mixed pallets" nothing is said of an order.
SERIES_OR_VERBS = words("build call change commit deploy invoice issue order release run")
HAPPENED = words("failed passed succeeded arrived crashed finished timed broke stopped")


# What is done again and again, as parts of regular expressions: for the category `pattern` of a claim, and for habits
# that people tell.
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
# A state is said to be new by them.
UPDATES = (
    *("now", "no longer", "any ?more", "any longer", "these days", "nowadays", "from now on", "instead"),
    *("moved", "switched", "changed", "migrated", "relocated"),
    rf"since (?:(?:last |this )?{_DAYS}|yesterday|today|(?:last|this) (?:week|month|quarter|year))",
)
# What stands after the subject of a sentence, and after no other verb: "shop payments are late".
VERBS_AFTER_SUBJECTS = words("is are was were has have does do did can could will would must should may need go come")
EACH_TIME = (
    r"(?:every|each)\s+(?:single\s+)?(?:day|morning|evening|night|week|weekend|month|quarter|summer|winter|spring|fall|year"
    rf"|{_DAYS})|(?:once|twice|three times|a few times)\s+a\s+(?:day|week|month|year)"
    rf"|on\s+(?:weekends|weekdays|{_DAYS}s)|(?:dai|week|month|quarter)ly|in\s+the\s+(?:morning|afternoon|evening)s"
)
OFTEN = r"usually|often|typically|generally|tends? to|regularly|frequently|most of the time|mostly"


# Between two words of one term: cancel my flight is about "cancel flight", "cancel or change" is not one.
LIGHT_IN_REQUESTS = words("of a an the my our this that these those any all some one")

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

# Relations that sentences state without their word: "Jonas from Nordlys", "my flat in Oslo", "30 euros a month".
UNSAID_RELATIONS = PASSIVE | words(
    """
    am have has having had do does did get gets got make makes want wants wanted need needs like likes liked love
    loves prefer prefers enjoy enjoys use uses used can will should may must reside resides own owns belong belongs
    cost costs speak speaks report reports responsible plan plans planned dream dreams hope hopes aim aims intend
    intends try tries become becomes attend attends run runs support supports accept accepts expire expires locate
    located store stored keep kept know known call called name named come comes go goes stay stays contain contains
    include includes hold holds part member based friend friends deadline interested in on at by for from to of with
    as about into within not never only also the a an its their his her my your own it this that most mostly usually
    often always currently normally typically
    """
)

# Frequent in texts and in runs of agents: a pattern is not looked for by one of them while it has a rarer word.
FREQUENT = words(
    """
    a add all an and any as at be by can check do for from get go goes has have i i'm if in is it its last let line
    may need new no not of on one or order out output per return run see should start status test that the them this
    to use user what will with you your
    """
)
# Nearly each sentence holds some: a sentence that is written backwards or in rot13 is told by them.
IN_SENTENCES = words(
    "the and your all for with that this you may from not must will every are before never always when any"
)

# Between the verb of a tool's name and what it is about.
OF_TOOL_NAMES = words("as at by for from in into of on onto to via with")
