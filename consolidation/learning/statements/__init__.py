"""What users state in single sentences, told by their forms; `*_forms.py` are the words, `*_statements.py` read them.

explicit_statements.py, statement_forms.py  what an agent is asked to keep: rules, wishes, habits
personal_statements.py, personal_forms.py   what users tell of themselves
general_statements.py, general_forms.py     how things are in general, said in correcting an agent
outcome_statements.py, outcome_forms.py     that what was just done worked or did not; that they instruct;
    result_forms.py                         of a service, a release or an answer
"""
