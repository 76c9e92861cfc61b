#!/bin/sh
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Compares two settings of "transload run": A and B by turns, on the same machine, in one go, each run verified.
# Usage: benchmarks/runs.sh PAIRS "OPTIONS OF A" "OPTIONS OF B" [options of both]
# Example: benchmarks/runs.sh 5 "--scale-out aeron --scale-up aeron" "--scale-out ucx --scale-up ucx" --iterations 40
# Prints the figures of each run, then the median of A / B of the pairs with min and max of several: above 1, B is faster.
set -eu

if [ $# -lt 3 ]; then
    sed -n 's/^# \(Usage\|Example\)/\1/p' "$0" >&2
    exit 2
fi

pairs=$1 a=$2 b=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# In microseconds: medians of dispatch and of combine, and of both the wall time of iterations on end.
measure()
{
    side=$1 options=$2
    shift 2
    # The options of a side are words.
    # shellcheck disable=SC2086
    if ! "$here/../transload" run --json $options "$@" > "$work/summary" 2> "$work/log"; then
        cat "$work/log" >&2
        exit 1
    fi
    tr -d '",' < "$work/summary" | awk -v side="$side" '
        $1 == "dispatch" || $1 == "combine" || $1 == "dispatch_and_combine" { call = $1; figure = "median" }
        $1 == "wall_micros_per_iteration" { figure = "mean" }
        $1 == figure && (call != "dispatch_and_combine" || figure == "mean") { print side, call, $3 }' |
        tee -a "$work/figures"
}

pair=1
while [ "$pair" -le "$pairs" ]; do
    echo "pair $pair of $pairs"
    measure A "$a" "$@"
    measure B "$b" "$@"
    pair=$((pair + 1))
done

echo
echo "call | A us | B us | A / B (min, max)"
awk '
    { value[$1 " " $2, ++count[$1 " " $2]] = $3; call[$2] = 1 }
    function median(list, n,    i, j, t)
    {
        for (i = 2; i <= n; i++) { for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
            t = list[j]; list[j] = list[j - 1]; list[j - 1] = t } }
        return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
    }
    END {
        for (name in call) {
            n = count["A " name]
            for (i = 1; i <= n; i++) {
                a[i] = value["A " name, i]; b[i] = value["B " name, i]; ratio[i] = a[i] / b[i]
            }
            middle = median(ratio, n)
            printf "%s | %.0f | %.0f | %.2f%s\n", name, median(a, n), median(b, n), middle,
                (n > 1 ? sprintf(" (%.2f, %.2f)", ratio[1], ratio[n]) : "")
        }
    }' "$work/figures"
