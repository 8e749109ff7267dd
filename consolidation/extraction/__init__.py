"""Reading of single conversations by the language model, step by step.

queue.py, processing.py, steps.py           which conversations, in which steps, each paid for once
transcripts.py, transcript_question.py, recall.py           a run as text, what is asked of it, beside what is known
episode_facts.py, task_answers.py           its answers: facts, tasks
skill_answers.py, skill_details.py          and skills with their files
grounding.py, predicate_grounding.py, line_grounding.py      whether a quote says so
needs.py                                    whether anybody needs it
"""
