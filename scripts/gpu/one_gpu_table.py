# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Prints what check-1.sh has measured, each figure beside its goal.

Usage: one_gpu_table.py OUT. Times are microseconds of the slowest rank by the host's clock. Runs of two builds by turns
are named NAME-BUILD-ROUND and printed as one line for each build: median of the rounds' medians, and ratio to the older
build. Exit code 1: no run was measured.
"""
import glob
import os
import re
import statistics
import sys

from speed_table import measured, read

# Microseconds at most: median of a dispatch, median of a combine, and p99 as a multiple of the median.
GOALS = {
    "two-stages-whole-4": (1950, 1250, None),
    "two-stages-whole": (2600, 1450, 2),
    "two-stages-whole-2": (2600, 1450, 2),
    "staged-aeron": (None, 8000, None),
    "staged-ucx": (None, 8000, None),
}
NAME = re.compile(r"speed-(.+?)(?:-(older|queues|newer)-(\d+))?\.json$")
BUILDS = {"older": "older, as it was", "queues": "older, 16 queues", "newer": "this one"}
CALLS = ("dispatch", "combine")


def runs(out):
    """Name, build and figures of each run, in the order in which they were made."""
    for path in sorted(glob.glob(os.path.join(out, "speed-*.json")), key=os.path.getmtime):
        name, run = NAME.search(path), read(path)
        if name and run:
            yield name[1], name[2], {call: measured(run, call) for call in CALLS}


def verdict(is_met, is_emulated):
    return "" if is_emulated else "met" if is_met else "MISSED"


def print_runs(rows):
    print("%-24s %-9s %9s %9s %9s %6s %8s %-7s %8s %-7s %7s %7s  %s" % (
        "run", "call", "min us", "median", "p99", "ratio", "goal", "", "goal p99", "", "warm-up", "calls", "verified"))
    for name, _, figures in rows:
        goals = GOALS.get(name, (None, None, None))
        for call, goal in zip(CALLS, goals):
            row = figures[call]
            median, p99, emulated = row["median_us"], row["p99_us"], row["emulated"]
            print("%-24s %-9s %9.1f %9.1f %9.1f %6.1f %8s %-7s %8s %-7s %7d %7d  %s" % (
                name, call, row["min_us"], median, p99, p99 / median,
                goal or "", verdict(median <= goal, emulated) if goal else "",
                "%d x" % goals[2] if goals[2] else "", verdict(p99 < goals[2] * median, emulated) if goals[2] else "",
                row["warmup"], row["iterations"], "emulated" if emulated else row["verified"]))


def print_builds(rows):
    print("%-24s %-9s %-17s %7s %9s %9s %6s %8s %7s  %s" % (
        "run", "call", "build", "rounds", "median us", "p99", "ratio", "goal", "warm-up", "verified"))
    for name in dict.fromkeys(row[0] for row in rows):
        for call, goal in zip(CALLS, GOALS.get(name, (None, None, None))):
            older = None
            for build, said in BUILDS.items():
                rounds = [row[2][call] for row in rows if row[:2] == (name, build)]
                if not rounds:
                    continue
                median = statistics.median(found["median_us"] for found in rounds)
                older = older or median
                print("%-24s %-9s %-17s %7d %9.1f %9.1f %6.2f %8s %7d  %s" % (
                    name, call, said, len(rounds), median, statistics.median(found["p99_us"] for found in rounds),
                    median / older, goal or "", rounds[0]["warmup"],
                    "emulated" if rounds[0]["emulated"] else all(found["verified"] for found in rounds)))


def main(out):
    rows = list(runs(out))
    single = [row for row in rows if not row[1]]
    by_turns = [row for row in rows if row[1]]
    if single:
        print_runs(single)
    if by_turns:
        print_builds(by_turns)
    if not rows:
        print("no run was measured", file=sys.stderr)
    return 0 if rows else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
