#!/bin/sh
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Compares the host row kernels with the same loops in C: C and Java by turns, on the same machine, in one run.
# Usage: benchmarks/row-kernels.sh [rounds]    (JAVA_HOME chooses the JDK; needs a C compiler and a finished build)
# Prints each round, then the median of each figure and its ratio Java / C.
set -eu

rounds=${1:-2}
here=$(cd "$(dirname "$0")" && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

if [ -z "${BENCHMARK_CLASS_PATH:-}" ]; then
    BENCHMARK_CLASS_PATH="$here/target/classes:$here/target/lib/*"
    if [ ! -d "$here/target/classes" ]; then
        echo "row-kernels.sh: $here/target/classes is missing: build first with mvn -pl benchmarks -am package" >&2
        exit 2
    fi
fi

"${CC:-cc}" -O3 -march=native -ffp-contract=off -o "$work/row_kernels" "$here/src/main/c/row_kernels.c" -lm

run_c()
{
    "$work/row_kernels" | sed 's/^/C /'
}

run_java()
{
    "$java" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED --add-modules jdk.incubator.vector \
        -cp "$BENCHMARK_CLASS_PATH" org.openjdk.jmh.Main '\.RowKernelsBenchmark\.' -prof gc \
        -rff "$work/result.csv" -rf csv > "$work/jmh.log" 2>&1 || { cat "$work/jmh.log" >&2; exit 1; }
    # Columns: "Benchmark","Mode",Threads,Samples,Score,Error,"Unit","Param: mode","Param: set"
    tr -d '"\r' < "$work/result.csv" | awk -F, '
        NR > 1 {
            name = $1
            sub(/.*RowKernelsBenchmark\./, "", name)
            split(name, part, ":")
            if (part[2] == "") { printf "Java %s %s %.0f\n", part[1], $9, $5 }
            if (part[2] == "gc.alloc.rate.norm") { printf "Bytes/op %s %s %.3f\n", part[1], $9, $5 }
        }'
}

round=1
while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds"
    run_c | tee -a "$work/figures"
    run_java | tee -a "$work/figures"
    round=$((round + 1))
done

echo
echo "kernel set | C rows/s | Java rows/s | Java / C | Java bytes/row"
sort -k1,3 -k4,4n "$work/figures" | awk '
    { key = $1 " " $2 " " $3; value[key, ++count[key]] = $4; row[$2 " " $3] = 1 }
    function median(key,   n) { n = count[key]; return (value[key, int((n + 1) / 2)] + value[key, int(n / 2) + 1]) / 2 }
    END {
        for (name in row) {
            c = median("C " name)
            java = median("Java " name)
            printf "%s | %.0f | %.0f | %.2f | %.2f\n", name, c, java, java / c, median("Bytes/op " name)
        }
    }' | sort
