"""What is learned from memories: runs of background work, and what each does.

schedules.py, tasks.py, ordering.py, run_queue.py, execution.py     when a run begins, by whose order, and who does it
consolidation_run.py, pattern_run.py, duplicates_run.py             runs without a language model; reembedding_run.py
extraction_run.py, contrast_run.py, lessons_run.py                  runs with one
case_comparison.py, trying_again.py         what the last two do for a case; when a run with a model is tried again
import_run.py, retention.py                 files that people upload; what is removed after its time
set_aside.py                                what was given up after three attempts
"""
