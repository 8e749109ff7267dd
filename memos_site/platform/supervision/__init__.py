"""Processes that stay up: the supervisor that starts, restarts and stops them, the web server, the job cluster.

The supervisor forks its children from a process that has loaded Django once: they share its memory and start at once.
Each child is a process group of its own, so that Ctrl-C reaches the supervisor alone and a dead child's leftovers can
be swept; where the system has it (Linux), each is told by the kernel when its parent is gone, however it went.
"""
