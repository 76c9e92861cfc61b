# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Gathers all that check.sh or check-1.sh has found into one file.

Usage: results.py OUT FILE. It has how each step ended, what the steps of JSON left, by their names, and the lines of those
that compare or check. A run's figures by role and rank stay in its own file.
"""
import glob
import json
import os
import re
import sys

STEP = re.compile(r"^(\S+) +(done|FAILED \(\d+\)|FAILED: no time is left|SKIPPED: .*?)(?:, (\d+) s)?$")
# Of each run; the rest is for whoever looks for a cause.
OF_A_RUN = ("verified", "failures", "world", "input", "mode", "iterations", "warmup", "emulated", "transports",
            "dispatch", "combine", "dispatch_and_combine", "allocated_bytes_per_iteration")


def lines(path):
    with open(path, errors="replace") as file:
        return file.read().splitlines()


def found(path):
    """What a step has left: JSON, of runs a part; None where it is no JSON."""
    try:
        with open(path) as file:
            value = json.load(file)
    except ValueError:
        return None
    is_run = isinstance(value, dict) and "dispatch" in value and "combine" in value
    return {key: value[key] for key in OF_A_RUN if key in value} if is_run else value


def main(out, file):
    steps = [{"step": step[1], "ended": step[2], "seconds": int(step[3]) if step[3] else None}
             for step in map(STEP.match, lines(os.path.join(out, "summary.txt"))) if step]
    files = [path for path in sorted(glob.glob(os.path.join(out, "*.json")))
             if os.path.basename(path) not in ("results.json", "transports.json")]
    report = {"steps": steps,
              "found": {os.path.basename(path)[:-len(".json")]: found(path) for path in files},
              "said": {os.path.basename(path)[:-len(".txt")]: lines(path)
                       for path in sorted(glob.glob(os.path.join(out, "*.txt")))
                       if os.path.basename(path) not in ("summary.txt", "speed.txt")}}
    with open(file, "w") as gathered:
        json.dump(report, gathered, indent=1)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
