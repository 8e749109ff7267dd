"""The trial of a cluster for long: `python -m tests.cluster --seconds 600 --every 10 --seed 7`.

Runs its test with other numbers, for that has pytest's directories and Django's settings.
"""

import argparse
import os
import sys
import time

import pytest


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--every", type=float, default=10.0, help="seconds from one fault to the next")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument(
        "--workers", type=int, default=1, help="web processes, and jobs at a time, of each of three hosts"
    )
    parser.add_argument("--only", default="", metavar="'KIND ...'", help="faults, such as 'reload frozen_jobs'")
    told = vars(parser.parse_args(arguments))
    os.environ |= {f"CLUSTER_{name.upper()}": str(value) for name, value in told.items()}
    return int(pytest.main(["-n", "0", "-s", "-q", "tests/cluster/test_random_kills.py"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
