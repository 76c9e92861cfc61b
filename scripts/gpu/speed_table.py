# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Gathers what check.sh has measured: OUT/speed.json, and a table on standard output.

Usage: speed_table.py OUT GPUS FOLDER. FOLDER is the --output of a run with the rows of the measured ones. Times are
microseconds, medians over the iterations by the host's clock, of the slowest rank, until the result is of use on the
device. GB/s are payload that leaves the first device for its peers, over the median of the call. What a step did not
leave is missing here, too. Exit code 1: no run was measured.
"""
import glob
import json
import os
import re
import sys

from rank_files import layout, row_bytes

# By ranks: microseconds at most of cached calls with 4096 tokens a rank, hidden 7168, top-8 of 256.
GOALS = {2: {("bf16", "dispatch"): 190, ("fp8", "dispatch"): 125, ("bf16", "combine"): 210},
         4: {("bf16", "dispatch"): 480, ("fp8", "dispatch"): 270, ("bf16", "combine"): 480},
         8: {("fp8", "dispatch"): 430, ("bf16", "combine"): 820}}
# Of cached FP8 runs combine is that of BF16 rows.
NAME = re.compile(r"speed-(bf16|fp8)-(direct|ring)-(cached|whole-device|whole)(?:-(tuned))?\.json$")
LOW_LATENCY_NAME = re.compile(r"speed-ll-(bf16|fp8)\.json$")


def read(path):
    """JSON of a file, or None where a step has left none."""
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        print("left out: %s (%s)" % (os.path.basename(path), error), file=sys.stderr)
        return None


def options(out):
    """Options of the transport, by their defaults."""
    path = os.path.join(out, "options.txt")
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return dict(line.strip().split("=", 1) for line in file if re.match(r"[a-z-]+=", line))


def measured(run, call):
    """Of a run, what all kinds of them have."""
    micros = run[call]["micros"]
    return {"call": call, "verified": run["verified"], "emulated": run["emulated"], "iterations": run["iterations"],
            "warmup": run["warmup"], "min_us": micros["min"], "median_us": micros["median"], "p99_us": micros["p99"]}


def low_latency(out):
    """Calls of low latency; what is put on the link depends on which experts are chosen, and is left out."""
    rows = []
    for path in sorted(glob.glob(os.path.join(out, "speed-ll-*.json"))):
        name, run = LOW_LATENCY_NAME.search(path), read(path)
        if not name or not run:
            continue
        dtype = name.group(1)
        for call in ("dispatch", "combine"):
            rows.append(dict(
                measured(run, call), dtype=dtype, kind="low-latency", placement=None,
                settings="default", bytes_to_peers=None, GBps=None, at_most_us=None))
    return sorted(rows, key=lambda row: row["call"] != "dispatch")


def calls(out, gpus, sent):
    rows = []
    for path in sorted(glob.glob(os.path.join(out, "speed-*.json"))):
        name, run = NAME.search(path), read(path)
        if not name or not run:
            continue
        dtype, placement, whole, tuned = name.groups()
        for call in ("dispatch", "combine"):
            if call == "combine" and whole != "cached":
                continue
            bytes_to_peers = sent * row_bytes(run["input"]["hidden"], dtype if call == "dispatch" else "bf16")
            micros = run[call]["micros"]
            most = GOALS.get(gpus, {}).get((dtype, call)) if whole == "cached" and placement == "direct" else None
            rows.append(dict(
                measured(run, call), dtype=dtype, kind=whole, placement=placement, settings=tuned or "default",
                bytes_to_peers=bytes_to_peers, GBps=round(bytes_to_peers / micros["median"] / 1e3, 1) if sent else None,
                at_most_us=most))
    return sorted(rows, key=lambda row: (row["call"] != "dispatch", row["dtype"], row["kind"], row["placement"]))


def link(out):
    """GB/s of kernels that put rows of BF16 and FP8 into a peer's memory, by the device's clock."""
    path = os.path.join(out, "kernels.txt")
    if not os.path.exists(path):
        return []
    pattern = re.compile(
        r"(tl_put_rows 4096 x (?:14336|7392), \d streams?) +peer +(\d+) SMs +([\d.]+) us +([\d.]+) GB/s")
    with open(path) as file:
        return [{"kernel": found[1], "sms": int(found[2]), "us": float(found[3]), "GBps": float(found[4])}
                for found in map(pattern.search, file) if found]


def print_bench(title, bench):
    rows = {(result.get("operation"), result.get("chunk_rows"), result.get("bytes")): result
            for result in bench["results"]}
    print("\n%s\n%-28s %12s %10s %10s" % (title, "", "bytes", "GB/s", "copy"))
    for (operation, chunk, size), result in rows.items():
        if operation == "put" or operation == "putRows" and size == 14336:
            print("%-28s %12d %10.2f %10.2f" % (operation + (" in chunks of %d" % chunk if chunk else ""), size,
                                                result["GBps"], result["peer_copy_GBps"]))
    print("%-28s %12s %10s %10s %10s us" % ("", "bytes", "p50", "p99", "p99.9"))
    for (operation, _, size), result in rows.items():
        if operation == "put-fence-atomicAdd-seen":
            micros = result["micros"]
            print("%-28s %12d %10.1f %10.1f %10.1f" % (operation, size, micros["p50"], micros["p99"],
                                                       micros["p99_9"]))


def main(out, gpus, folder):
    try:
        counts, hidden = layout(folder, 0)
    except OSError as error:
        print("no bytes to peers: %s" % error, file=sys.stderr)
        counts, hidden = [], None
    defaults = options(out)
    sms = {key: defaults[key] for key in defaults if key in ("streams", "sms", "kernel-sms")}
    report = {"ranks": gpus, "hidden": hidden, "rows_of_first_rank": counts, "options": defaults,
              "calls": calls(out, gpus, sum(counts[1:])) + low_latency(out),
              "peers": [peer for peer in (read(path) for path in glob.glob(os.path.join(out, "nccl-*.json"))) if peer],
              "link": link(out)}
    with open(os.path.join(out, "speed.json"), "w") as file:
        json.dump(report, file, indent=1)
    print("%d ranks, hidden %s, %s rows of rank 0 to each rank" % (gpus, hidden, counts))
    if sms:
        print("multiprocessors: transfers, streams x sms %s x %s, row kernels %s" % (sms["streams"], sms["sms"], sms["kernel-sms"]))
    print("%-9s %-5s %-12s %-7s %-8s %9s %9s %9s %7s %8s  %s" % (
        "call", "rows", "", "place", "settings", "min", "median us", "p99", "GB/s", "at most", "verified"))
    for row in report["calls"]:
        print("%-9s %-5s %-12s %-7s %-8s %9.1f %9.1f %9.1f %7s %8s  %s" % (
            row["call"], row["dtype"], row["kind"], row["placement"] or "", row["settings"], row["min_us"],
            row["median_us"], row["p99_us"], row["GBps"] or "", row["at_most_us"] or "",
            "emulated" if row["emulated"] else row["verified"]))
    for peer in report["peers"]:
        print("%-9s %-5s %-29s %9.1f %9.1f %9.1f %7.1f" % (
            "NCCL", peer["dtype"], "all_to_all_single", peer["min_us"], peer["median_us"], peer["p99_us"],
            peer["bytes_to_peers"] / peer["median_us"] / 1e3))
    for kernel in report["link"]:
        print("%-40s %3d SMs %9.1f us %7.1f GB/s over the link" % (
            kernel["kernel"], kernel["sms"], kernel["us"], kernel["GBps"]))
    bench = read(os.path.join(out, "bench.json"))
    if bench:
        print_bench("bench nvlink", bench)
    if not report["calls"]:
        print("no run was measured", file=sys.stderr)
    return 0 if report["calls"] else 1


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
