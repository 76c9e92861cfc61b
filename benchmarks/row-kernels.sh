#!/bin/sh
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Compares the host row kernels with the same loops in C: C and Java by turns, on the same machine, in one run.
# Usage: benchmarks/row-kernels.sh [rounds]    (JAVA_HOME chooses the JDK; needs a C compiler and a finished build)
# Prints each round, then the median of each figure, and of the ratios Java / C of the rounds, with min and max of several.
# Both measure CPU time of their thread, so that other load on the machine disturbs little. OOB_CHECK=2 gives the vectors
# their bounds checks back, which the launcher takes away since the kernels check every row before they touch it.
set -eu

rounds=${1:-2}
here=$(cd "$(dirname "$0")" && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

if [ -z "${BENCHMARK_CLASS_PATH:-}" ]; then
    BENCHMARK_CLASS_PATH="$here/target/classes:$here/target/lib/*"
    if [ ! -d "$here/target/classes" ]; then
        echo "row-kernels.sh: $here/target/classes is missing: build first with mvn -pl benchmarks -am package -DskipTests" >&2
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
    "$java" -Djmh.ignoreLock=true --add-exports java.base/jdk.internal.misc=ALL-UNNAMED --add-modules jdk.incubator.vector \
        -Djdk.incubator.vector.VECTOR_ACCESS_OOB_CHECK="${OOB_CHECK:-0}" \
        -cp "$BENCHMARK_CLASS_PATH" org.openjdk.jmh.Main '\.RowKernelsBenchmark\.' -prof gc \
        -rff "$work/result.csv" -rf csv > "$work/jmh.log" 2>&1 || { cat "$work/jmh.log" >&2; exit 1; }
    # Columns: "Benchmark","Mode",Threads,Samples,Score,Error,"Unit","Param: mode","Param: set"
    tr -d '"\r' < "$work/result.csv" | awk -F, '
        NR > 1 {
            name = $1
            sub(/.*RowKernelsBenchmark\./, "", name)
            split(name, part, ":")
            if (part[2] == "rowsPerCpuSecond") { printf "Java %s %s %.0f\n", part[1], $9, $5 }
            if (part[2] == "gc.alloc.rate.norm") { printf "Bytes/op %s %s %.3f\n", part[1], $9, $5 }
        }'
}

round=1
while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds"
    run_c > "$work/round"
    run_java >> "$work/round"
    tee -a "$work/figures" < "$work/round"
    round=$((round + 1))
done

echo
echo "kernel set | C rows/s | Java rows/s | Java / C (min, max) | Java bytes/row"
awk '
    { key = $1 " " $2 " " $3; value[key, ++count[key]] = $4; row[$2 " " $3] = 1 }
    function median(list, n,   i, j, t)
    {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
        return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
    }
    function of(key,   i) { for (i = 1; i <= count[key]; i++) list[i] = value[key, i]; return median(list, count[key]) }
    END {
        for (name in row) {
            n = count["Java " name]
            for (i = 1; i <= n; i++) ratio[i] = value["Java " name, i] / value["C " name, i]
            middle = median(ratio, n)
            printf "%s | %.0f | %.0f | %.2f%s | %.2f\n", name, of("C " name), of("Java " name), middle,
                (n > 1 ? sprintf(" (%.2f, %.2f)", ratio[1], ratio[n]) : ""), of("Bytes/op " name)
        }
    }' "$work/figures" | sort
