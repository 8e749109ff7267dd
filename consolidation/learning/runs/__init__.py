"""A recorded run: messages, calls, values, errors and terms, and what of them may be repeated.

run.py, call.py, lines.py, values.py        the run, its calls, its values; lines with the runs behind them
harness_tools.py, operations.py             which tools are one, and which one is many: requests, SQL, actions
browser.py, browser_lines.py, browser_pages.py      what is done in a browser
workbooks.py, workbook_code.py, sheet_tools.py      what is done to sheets
notebooks.py, cells.py                      code that a kernel runs
dialogue.py, errors.py, terms.py      what users ask, how tools fail, in which words
holdings.py, people.py, privacy.py          what identifies somebody, and is not learned
"""
