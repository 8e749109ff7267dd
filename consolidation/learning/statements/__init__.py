"""What users state in single sentences, told by their forms; `*_forms.py` are the words, `*_statements.py` read them.

explicit_statements.py, statement_forms.py  what an agent is asked to keep: rules, wishes, habits
personal_statements.py, personal_forms.py   what users tell of themselves
general_statements.py, general_forms.py     how things are in general, said in correcting an agent
text_statements.py, text_forms.py           how texts of a kind are written, said of a draft; that one was used
text_edits.py, edit_forms.py                what is changed in a draft before it is sent
outcome_statements.py, outcome_forms.py     that what was just done worked or did not; that they instruct;
    result_forms.py                         of a service, a release or an answer

A further language of how work ended: its forms in outcome_forms.py and in the tuples at its end, its thanks in
`_PRAISE` of result_forms.py, its sentences in tests/consolidation/test_outcome_words.py.
"""
