"""Pages that span rooms, and what pages of all rooms share.

account.py, profile.py, people.py, reader.py    who signs in, and how the pages look to them
inbox.py, inbox_page.py, inbox_rows.py, saved_views.py          what waits
decisions.py, settle.py, bulk.py, bulk_orders.py, undo.py, judging.py   decisions, by one form each
agents.py, connecting.py, harness_plugins.py, agent_runs.py     an agent: token, connection, its days
subjects.py, search.py, welcome.py, health.py        single pages
responses.py, fragments.py, memory_links.py, words.py, action_words.py, sentences.py, word_diff.py      parts and words
"""
