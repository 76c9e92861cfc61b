#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Compares low-latency dispatch and combine with a bare exchange over the same transport, between the same processes.
# Usage: benchmarks/low-latency.sh [ROUNDS [JSON]]
# Measures Aeron and UCX, 2 and 4 ranks, by turns; prints a table of medians with min and max of the rounds,
# and writes all figures to the file JSON, if given. About 3 minutes a round on two cores. Needs what ./transload needs,
# UCX and Python 3.
set -euo pipefail

rounds=${1:-3}
json=${2:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

for ((round = 1; round <= rounds; round++)); do
    for ranks in 2 4; do
        for transport in aeron ucx; do
            options=()
            [[ $transport != ucx ]] || options=(-Dtransload.ucx.tls=posix,self)
            "$here/../transload" bench "$transport" --ranks "$ranks" --json ${options+"${options[@]}"} \
                > "$work/$transport-$ranks-$round.json" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
        done
    done
done

python3 - "$work" "$json" << 'END'
import json
import statistics
import sys
from pathlib import Path

rounds = {}
for file in sorted(Path(sys.argv[1]).glob("*.json")):
    found = json.loads(file.read_text())["low_latency"]
    for result in found["results"]:
        key = found["transport"], found["ranks"], result["operation"], result["tokens"]
        rounds.setdefault(key, []).append((found, result))
if sys.argv[2]:
    Path(sys.argv[2]).write_text(json.dumps(
        [dict(zip(("transport", "ranks", "call", "tokens"), key), rounds=[
            {"micros": result["micros"], "exchange_micros": found["exchange_micros"],
             "exchange_GBps": found["exchange_GBps"], "floor_micros": result["floor_micros"], "ratio": result["ratio"]}
            for found, result in measured]) for key, measured in rounds.items()], indent=2) + "\n")


def spread(values):
    return f"{statistics.median(values):.2f}" + (
        f" ({min(values):.2f}, {max(values):.2f})" if len(values) > 1 else "")


print("\ntransport | ranks | call | tokens | microseconds | exchange, microseconds | ratio")
for (transport, ranks, call, tokens), measured in rounds.items():
    print(transport, ranks, call, tokens, spread([result["micros"]["p50"] for _, result in measured]),
          spread([result["floor_micros"] for _, result in measured]),
          spread([result["ratio"] for _, result in measured]), sep=" | ")
END
