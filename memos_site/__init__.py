"""The site. Imported before anything else of it in every process, so what libraries read when they load is set here."""

import os

# OpenBLAS works on a product of matrices with a thread for each processor, and they wait for each other in a busy
# loop. Ours are small and asked for by several threads of several processes at once: one thread each is faster.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
