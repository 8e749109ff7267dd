"""Plain values that every room imports; they import none of ours.

choices.py, roles.py                        enumerations: statuses, types, permissions, who speaks
trust.py, conditions.py, keyset.py          what a caller may see and do; filters and pages as SQL
exceptions.py, field_errors.py, field_types.py      what is wrong with a request, and the types of its fields
decay.py, speakers.py, chance.py            how salience and confidence fade; who stands behind a claim; statistics
text.py, invisible.py, search_words.py, passage_texts.py, changes.py        texts
strict_json.py, links.py                    JSON that can be stored; addresses in answers
"""
