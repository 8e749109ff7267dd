"""The supervisor that starts, restarts and stops the web processes and the job cluster.

The supervisor forks its children from a process that has loaded Django once: they share its memory and start fast.
Each child is a process group of its own, so that Ctrl-C reaches the supervisor alone and the processes of a dead child
can be killed; on Linux the kernel signals each child when its parent is gone.
"""
