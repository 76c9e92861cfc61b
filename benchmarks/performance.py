#!/usr/bin/env python3
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Turns what compare.sh measured into performance.json, and that into performance.md by a template.

Python, since its standard library has JSON and medians: this needs no build, and nothing of it is shipped. Figures in
the document come from the JSON alone. The words are the template's. A line @NAME@ becomes the table of that name in the
JSON, or the one that PARTS makes; @missed@ becomes a table of all goals that were missed.

Usage: performance.py WORK TEMPLATE OUT, performance.py OUT.json TEMPLATE OUT to write the document again, or
performance.py TABLE TEMPLATE OUT with the table of network.sh, whose figures replace those in OUT.json
"""
import json
import re
import statistics
import sys
from pathlib import Path

MANY = 16
DISPATCH, COMBINE = "dispatch", "combine"
AT_LEAST, AT_MOST, MISSED = "at least", "at most", "**MISSED**"


def runs(work, name):
    """Summaries of one side, by round."""
    files = sorted(work.glob(f"{name}-[0-9]*.json"), key=lambda file: int(file.stem.rsplit("-", 1)[1]))
    found = [json.loads(file.read_text()) for file in files]
    for run in found:
        if not run["verified"]:
            sys.exit(f"performance.py: a run of {name} is not verified")
    return found


def micros(run, *calls):
    """Of a run, ours or the peer's: median of one call of the slowest rank, or the time of iterations on end."""
    if len(calls) > 1:
        return wall(run)["mean"]
    listed = f"{calls[0]}_micros"
    return statistics.median(run[listed]) if listed in run else run[calls[0]]["micros"]["median"]


def wall(run):
    return run["dispatch_and_combine"]["wall_micros_per_iteration"]


def spread(values):
    """Of one value nothing but itself: it has no median."""
    return round(values[0], 3) if len(values) == 1 else {
        "median": round(statistics.median(values), 3), "least": round(min(values), 3),
        "greatest": round(max(values), 3)}


def ms(values):
    return round(statistics.median(values) / 1e3, 2)


def times(found, *calls):
    """In ms: of one call the median of the runs; of both also the least and the greatest of all parts of the runs."""
    middle = ms([micros(run, *calls) for run in found])
    return middle if len(calls) == 1 else {
        "median": middle, "least": min(round(wall(run)["least"] / 1e3, 2) for run in found),
        "greatest": max(round(wall(run)["greatest"] / 1e3, 2) for run in found)}


def beside_mpi(work):
    """Each round's run against the MPI run of the same round."""
    rows = []
    for name, transport, peer in (("aeron", "aeron, mapped", "mpi"), ("ucx", "ucx", "mpi"),
                                  ("aeron-fp8", "aeron, mapped, FP8", "mpi-fp8")):
        ours, theirs = runs(work, name), runs(work, peer)
        if {run["rows_received"] for run in ours + theirs} != {ours[0]["rows_received"]}:
            sys.exit(f"performance.py: {name} and {peer} did not receive the same number of rows")
        for calls in ((DISPATCH,), (COMBINE,), (DISPATCH, COMBINE)):
            own = [micros(run, *calls) for run in ours]
            mpi = [micros(run, *calls) for run in theirs]
            rows.append({"transport": transport, "call": " + ".join(calls), "Open MPI, ms": times(theirs, *calls),
                         "Transload, ms": times(ours, *calls), "speed against MPI": spread([b / a for a, b in zip(own, mpi)])})
    return rows


def routes(trace, nodes=2, ranks_per_node=2, topk=None):
    """For each token, the number of nodes other than its own, and of ranks, that it goes to."""
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    experts = next(line["num_experts"] for line in lines if line["type"] == "meta")
    chosen = [line["topk_ids"] for line in lines if line["type"] == "route"]
    ranks = nodes * ranks_per_node
    each = -(-experts // ranks)
    for home in range(ranks):
        for ids in chosen[home * len(chosen) // ranks:(home + 1) * len(chosen) // ranks]:
            targets = {expert // each for expert in ids[:topk] if expert >= 0}
            others = {target // ranks_per_node for target in targets} - {home // ranks_per_node}
            yield len(others), len(targets)


def least_bytes(tokens, row, answer):
    """Read and written, see bound."""
    return {DISPATCH: sum(2 * (out + ranks) for out, ranks in tokens) * row,
            COMBINE: sum(ranks + 2 * out + 1 for out, ranks in tokens) * answer}


def bound(work):
    """Time against the least bytes at the speed of memcpy on all cores, and bytes moved against the least.

    Least bytes of a token, read and written: dispatch copies it into the ring of each other node and into the output of
    each rank; combine reads each rank's row, writes and reads a partial sum for each other node, and writes the result.
    """
    tokens = list(routes(work / "trace.jsonl"))
    rows = []
    for name, transport, peer in (("aeron", "aeron, mapped", "mpi"), ("ucx", "ucx", "mpi"),
                                  ("aeron-fp8", "aeron, mapped, FP8", "mpi-fp8")):
        own, mpi = runs(work, name), runs(work, peer)
        hidden = own[0]["input"]["hidden"]
        row, answer = hidden * 2 if own[0]["input"]["dtype"] == "bf16" else hidden + hidden // 128 * 4, hidden * 2
        least = least_bytes(tokens, row, answer)
        copies = {DISPATCH: sum(out + ranks for out, ranks in tokens) * row,
                  COMBINE: sum(out + ranks for out, ranks in tokens) * answer}
        for calls in ((DISPATCH,), (COMBINE,), (DISPATCH, COMBINE)):
            # A copied byte is one read and one written.
            floor = [sum(least[call] for call in calls) / (2e3 * run["memcpy_all_GBps"]) for run in mpi]
            moved = sum(own[0][call]["scale_out_bytes"] + own[0][call]["scale_up_bytes"] for call in calls)
            rows.append({
                "transport": transport, "call": " + ".join(calls),
                "lower bound, MB read and written": round(sum(least[call] for call in calls) / 1e6, 1),
                "lower bound, ms": ms(floor),
                "time / lower bound": spread([micros(a, *calls) / b for a, b in zip(own, floor)]),
                "MB moved": round(moved / 1e6, 1),
                "lower bound, MB moved": round(sum(copies[call] for call in calls) / 1e6, 1)})
    return rows


def memcpy(work):
    found = runs(work, "mpi") + runs(work, "mpi-fp8")
    return [{"cores": name, "memcpy of rows, GB/s copied": spread([run[key] for run in found])}
            for name, key in (("one", "memcpy_one_GBps"), ("all", "memcpy_all_GBps"))]


def scaling(work):
    """What grows with what."""
    rows = []
    bf16, fp8 = runs(work, "aeron"), runs(work, "aeron-fp8")
    rows.append({"what": "BF16 dispatch time / FP8 dispatch time",
                 "ratio": spread([micros(a, DISPATCH) / micros(b, DISPATCH) for a, b in zip(bf16, fp8)])})
    few, many = runs(work, "few"), runs(work, "many")
    for calls in ((DISPATCH,), (COMBINE,), (DISPATCH, COMBINE)):
        rows.append({"what": f"{' + '.join(calls)}: time with {MANY}n tokens / time with n tokens",
                     "ratio": spread([micros(b, *calls) / micros(a, *calls) for a, b in zip(few, many)])})
    rows.append({"what": "bytes that the engine's threads allocate per iteration on all ranks (aeron, `threads.count = 1`)",
                 "ratio": spread([run["allocated_bytes_per_iteration"] for run in runs(work, "threaded")])})
    return rows


def processor_time(work):
    """Of the second half of each run; against one rank that sends the same tokens to as many experts."""
    rows, first = [], {}
    for name, topk in (("small", 1), ("middle", 1), ("large", 1), ("small", 4)):
        trace = work / ("trace.jsonl" if name == "small" else f"{name}.jsonl")
        for file in sorted(work.glob(f"world-*-{topk}-{name}-1.json")):
            world = file.stem.split("-")[1]
            run, = runs(work, file.stem.rsplit("-", 1)[0])
            used = run["processor_micros_per_iteration"]
            nodes, each = map(int, world.split("x"))
            row = run["input"]["hidden"] * 2
            least = least_bytes(list(routes(trace, nodes, each, topk)), row, row)
            per_byte = used["threads"] / sum(least.values())
            time, bytes_time = first.setdefault((name, topk), (used["threads"], per_byte))
            rows.append({"nodes x ranks": world, "top-k": topk, "tokens": run["tokens"],
                         "rows received": run["rows_received"],
                         "lower bound, MB read and written": round(sum(least.values()) / 1e6, 1),
                         "processor time of a dispatch and a combine, ms": round(used["threads"] / 1e3, 1),
                         "against one rank": round(used["threads"] / time, 2),
                         "a byte, against one rank": round(per_byte / bytes_time, 2),
                         "with compilers and collector, ms": round(used["process"] / 1e3, 1)})
    return rows


def micro(work):
    rows = []
    for result in json.loads((work / "jmh.json").read_text()):
        other = result["secondaryMetrics"]
        calls, own = other["calls"]["score"], other["threadBytes"]["score"]
        chunk = result["params"].get("chunk")
        rows.append({
            "benchmark": ".".join(result["benchmark"].split(".")[-2:]) + (f", chunk of {chunk}" if chunk else ""),
            "transport": result["params"]["transport"],
            "time": f"{result['primaryMetric']['score']:.4g} {result['primaryMetric']['scoreUnit']}",
            "B/call, its thread": round(own / max(1, calls), 3),
            "gc.alloc.rate.norm, B/op": round(other["gc.alloc.rate.norm"]["score"], 3)})
    return sorted(rows, key=lambda row: (row["benchmark"], row["transport"]))


def table_of(file):
    """The table that a script prints last: a line of names between bars, then lines of values."""
    lines = [[cell.strip() for cell in line.split("|")] for line in file.read_text().split("\n\n")[-1].splitlines()]
    lines = [line for line in lines if len(line) > 1]
    return [dict(zip(lines[0], map(value_of, line))) for line in lines[1:]]


def value_of(cell):
    """A number, a spread as the scripts print it, or the text."""
    found = re.fullmatch(r"([\d.]+) \(([\d.]+), ([\d.]+)\)", cell)
    if found:
        return dict(zip(("median", "least", "greatest"), map(float, found.groups())))
    return float(cell) if re.fullmatch(r"\d+\.\d+", cell) else cell


def shown(value):
    if isinstance(value, dict):
        least, median, greatest = (f"{value[key]:.2f}" for key in ("least", "median", "greatest"))
        return f"{median} ({least}, {greatest})"
    return str(value)


def goal_of(table, row):
    """The column that a goal is about, whether its value must be at least or at most so much, and how much; or None."""
    if table == "beside-mpi" and row["call"] == f"{DISPATCH} + {COMBINE}" and "FP8" not in row["transport"]:
        return "speed against MPI", AT_LEAST, 1.0
    if table == "bound" and row["call"] == f"{DISPATCH} + {COMBINE}" and "FP8" not in row["transport"]:
        return "time / lower bound", AT_MOST, 1.5
    if table == "scaling":
        if row["what"].startswith("BF16"):
            return "ratio", AT_LEAST, 1.3
        if row["what"].startswith(f"{DISPATCH} + {COMBINE}"):
            return "ratio", AT_MOST, MANY + 1
        return ("ratio", AT_MOST, 0) if row["what"].startswith("bytes") else None
    if table == "processor-time" and row["top-k"] == 1 and re.fullmatch("1x(?!1$).*", row["nodes x ranks"]):
        return "against one rank", AT_MOST, 1.3
    if table == "low-latency":
        return "ratio", AT_MOST, 3
    if table == "row-kernels":
        return "Java / C (min, max)", AT_LEAST, 0.6 if row["kernel set"].startswith("quantize") else 0.75
    if table == "network" and row["at least"] != "-":
        return "ratio (min, max)", AT_LEAST, row["at least"]
    if table == "ucx-perftest":
        what = row["operation"], row["bytes"]
        if what in (("put", "8"), ("add", "8"), ("region-add", "8")):
            return "ratio (min, max)", AT_LEAST, 0.8
        if what == ("put", "14336"):
            return "ratio (min, max)", AT_LEAST, 0.95
        if row["operation"] == "rows/memcpy" and row["UCX_TLS"] != "tcp":
            return "transload", AT_LEAST, 0.8 if row["direct"] == "never" else 0.9
    return None


def outcome(value, kind, bound):
    """A goal is met by the median; whether each round met it is said, too."""
    def met(number):
        return number >= bound if kind == AT_LEAST else number <= bound
    median = value["median"] if isinstance(value, dict) else value
    if not met(median):
        return f"{kind} {bound}: {MISSED}"
    each = not isinstance(value, dict) or met(value["least"]) and met(value["greatest"])
    return f"{kind} {bound}: met" if each else f"{kind} {bound}: met, not in each round"


def judge(tables):
    """Gives each table that a goal is about a column of goals, and each goal its outcome."""
    for table, rows in tables.items():
        goals = [goal_of(table, row) for row in rows]
        for row, goal in zip(rows, goals):
            if any(goals):
                row.pop("goal", None)
                row["goal"] = "" if goal is None else outcome(row[goal[0]], *goal[1:])


def pivot(rows, lines, column, cell, title="{}"):
    """A line for all rows that agree in the values of lines, and in it a cell for each value of the column."""
    names = list(dict.fromkeys(row[column] for row in rows))
    found = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in lines), {})[row[column]] = cell(row)
    return [{**dict(zip(lines, key)), **{title.format(name): cells.get(name, "") for name in names}}
            for key, cells in found.items()]


def by_tokens(tables):
    """Of low latency: microseconds and ratio for each number of tokens, and of goals what is not simply met."""
    rows, ids = tables["low-latency"], ("transport", "ranks", "call")
    lines = pivot(rows, ids, "tokens", lambda row: f"{middle(row['microseconds'])} · {shown(row['ratio'])}", "T = {}")
    for line in lines:
        same = [row for row in rows if all(row[name] == line[name] for name in ids)]
        odd = {}
        for row in same:
            if not row["goal"].endswith(": met"):
                odd.setdefault(row["goal"], []).append(row["tokens"])
        line["goal"] = "; ".join(f"{goal} (T = {', '.join(tokens)})" for goal, tokens in odd.items()) or same[0]["goal"]
    return lines


def machine(tables):
    names = ("date", "commit", "processors", "load before", "java", "ucx", "open mpi")
    return [row for row in tables["machine"] + tables.get("network-run", []) if row["what"].split(": ")[-1] in names]


def whole_runs(tables):
    """Each call of the whole runs against MPI and against the lower bound."""
    bounds = {(row["transport"], row["call"]): row for row in tables["bound"]}
    rows = []
    for row in tables["beside-mpi"]:
        bound_row = bounds[row["transport"], row["call"]]
        goals = [f"{name} {goal}" for name, goal in (("speed", row["goal"]), ("time", bound_row["goal"])) if goal]
        rows.append({"transport": row["transport"], "call": row["call"], "Open MPI, ms": middle(row["Open MPI, ms"]),
                     "Transload, ms": middle(row["Transload, ms"]), "speed against MPI": row["speed against MPI"],
                     "time / lower bound": bound_row["time / lower bound"], "goal": "; ".join(goals)})
    return rows


def growth(tables):
    """What has a goal of all that compares runs of ours with each other."""
    rows = [{"what": row["what"], "value": row["ratio"], "goal": row["goal"]} for row in tables["scaling"]]
    for row in tables["processor-time"]:
        rows.append({"what": f"processor time with {row['nodes x ranks']} / with 1x1 ranks, {row['tokens']} tokens",
                     "value": row["against one rank"], "goal": row["goal"]})
    return [row for row in rows if row["goal"]]


def transports(tables):
    """Puts of each transport beside the program of its library."""
    rows = [(f"ucx, `UCX_TLS={row['UCX_TLS']}`, `direct={row['direct']}`", f"{row['operation']}, {row['bytes']} bytes",
             row["unit"], row["ucx_perftest"], row)
            for row in tables["ucx-perftest"] if row["goal"] and row["operation"] == "put"]
    rows += [("aeron", row["operation"], row["unit"], row["sample"], row) for row in tables["aeron-samples"]]
    return [{"transport": transport, "operation": operation, "unit": unit, "library": peer,
             "Transload": row["transload"], "ratio": row["ratio (min, max)"], "goal": row.get("goal", "")}
            for transport, operation, unit, peer, row in rows]


def network(tables):
    """Across a network: operations of a transport, and whole runs with what they send over the wire."""
    rows = []
    for row in tables.get("network", []):
        sent = "" if row["MB sent, peer"] == "-" else f"{row['MB sent, peer']}, {row['MB sent, transload']}"
        rows.append({"link": row["link"], "transport": row["transport"], "operation": row["operation"],
                     "unit": row["unit"], "other program": row["peer"], "its value": number(row["of the peer"]),
                     "Transload": number(row["transload"]), "ratio": row["ratio (min, max)"],
                     "MB sent: other program, Transload": sent, "goal": row["goal"]})
    return rows


def number(value):
    """With three digits, more only before the point."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


# Columns that tell the rows of a table apart.
NAMES = ("link", "transport", "call", "what", "nodes x ranks", "top-k", "ranks", "tokens", "kernel set", "UCX_TLS", "direct",
         "operation", "bytes")
# How values are written that say nothing alone; others are written as they are.
LABELS = {"ranks": "{} ranks", "tokens": "{} tokens", "UCX_TLS": "`UCX_TLS={}`", "direct": "`direct={}`",
          "bytes": "{} bytes"}


def missed(tables):
    """All goals that were missed, with what tells their rows apart."""
    rows = []
    for table, found in tables.items():
        for row in found:
            if row.get("goal", "").endswith(MISSED):
                column = goal_of(table, row)[0]
                what = ", ".join(LABELS.get(name, "{}").format(value) for name, value in row.items() if name in NAMES)
                rows.append({"table": table, "row": what, "measured": shown(row[column]), "goal": row["goal"]})
    return rows


def middle(value):
    """Of several rounds the median alone."""
    return f"{value['median']:.2f}" if isinstance(value, dict) else str(value)


# Tables that the document shows in part, or made of several; the JSON has all.
PARTS = {"machine": machine, "missed": missed, "whole-runs": whole_runs, "growth": growth, "low-latency": by_tokens,
         "transports": transports, "network": network}


def markdown(rows):
    if not rows:
        return ["Not measured in this run."]
    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    return lines + ["| " + " | ".join(shown(value) for value in row.values()) + " |" for row in rows]


def measured(work):
    facts = [line.split("\t") for line in (work / "facts.txt").read_text().splitlines()]
    tables = {"machine": [{"what": name, "value": value.strip()} for name, value in facts], "memcpy": memcpy(work),
              "beside-mpi": beside_mpi(work), "bound": bound(work), "scaling": scaling(work),
              "processor-time": processor_time(work), "micro": micro(work)}
    for name in ("low-latency", "row-kernels", "aeron-samples", "ucx-perftest"):
        file = work / f"{name}.txt"
        tables[name] = table_of(file) if file.exists() else []
    return tables


def across_network(file):
    """What network.sh printed: lines of facts, a name, a tab and a value each, then its table."""
    facts = [line.split("\t") for line in file.read_text().splitlines() if "\t" in line]
    return {"network": table_of(file),
            "network-run": [{"what": f"network.sh: {name}", "value": value.strip()} for name, value in facts]}


def main(work, template, out):
    if work.suffix == ".json":
        tables = json.loads(work.read_text())
    else:
        # Of what this run did not measure, the figures stay.
        known = out.with_suffix(".json")
        tables = json.loads(known.read_text()) if known.exists() else {}
        tables.update(measured(work) if work.is_dir() else across_network(work))
    judge(tables)
    out.with_suffix(".json").write_text(json.dumps(tables, indent=2) + "\n")

    lines = []
    for line in template.read_text().splitlines():
        name = line.strip("@")
        if line == "@missed@" and not missed(tables):
            lines.append("None was missed.")
        elif line.startswith("@") and line.endswith("@"):
            lines += markdown(PARTS[name](tables) if name in PARTS else tables[name])
        else:
            lines.append(line)
    out.with_suffix(".md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:]))
