"""Memories from other stores and back. `importing.py` brings a file in, or previews it; `exporting.py` writes ours.

founder_os.py, mem0.py, membrane.py, memos_lines.py, conversation_lines.py     a reader for each kind of file
sqlite_file.py, json_files.py, cells.py     how these read rows and values, and what is wrong with one
records.py, payload_check.py                what a row is read as, and whether our pages could read it
row_batches.py                              batches of rows, each of which stands or falls alone, told by options.py
claim_rows.py, claim_writes.py, episode_rows.py, link_rows.py       their writing, through the gate
request_lines.py                            requests by which a memory is found, both ways
"""
