"""What is done again and again, as parts of regular expressions: for the category `pattern` of a claim
(`memories/intake/claims/categories.py`) and for habits that people tell (`consolidation/learning/statements`).
"""

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
EACH_TIME = (
    r"(?:every|each)\s+(?:single\s+)?(?:day|morning|evening|night|week|weekend|month|quarter|summer|winter|spring|fall|year"
    rf"|{_DAYS})|(?:once|twice|three times|a few times)\s+a\s+(?:day|week|month|year)"
    rf"|on\s+(?:weekends|weekdays|{_DAYS}s)|(?:dai|week|month|quarter)ly|in\s+the\s+(?:morning|afternoon|evening)s"
)
OFTEN = r"usually|often|typically|generally|tends? to|regularly|frequently|most of the time|mostly"
OFTEN_ZH = r"通常|经常|往往|一般|常常|习惯|每天|每周|每月|每年|定期"
