"""Pages of memories and episodes.

memory_table.py on memory_list.py and facets.py     the list, its filters and order; as a file: exports.py
one_memory.py, grounds.py                   one memory, and what speaks for it and against it
episode_list.py, one_episode.py, tool_graph.py      runs, and one of them
ended_lists.py                              what was dismissed; adaptations
teach.py                                    the page on which a person says what holds
charts.py, paging.py                        parts of pages of all rooms
"""
