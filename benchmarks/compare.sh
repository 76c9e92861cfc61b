#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Measures everything that the project makes claims about, against its peers: by turns, on this machine, in one go.
# Usage: benchmarks/compare.sh [--quick]
# Writes docs/performance.json, and from it and benchmarks/performance.template.md docs/performance.md. With --quick,
# fewer rounds and no peers of single parts; it writes benchmarks/target/performance.{json,md} and leaves docs/ alone.
# Needs a JDK, Maven, Python 3, gcc, Open MPI (Debian: openmpi-bin, libopenmpi-dev) and UCX (libucx-dev, ucx-utils).
# Nothing else should run: the load before the start is written down. About 20 minutes; about 5 with --quick.
set -euo pipefail

quick=no
case "$*" in
'') ;;
--quick) quick=yes ;;
*) sed -n 's/^# \(Usage\)/\1/p' "$0" >&2; exit 2 ;;
esac

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
for program in mpicc mpirun ucx_perftest ucx_info python3 mvn "$java"; do
    if ! command -v "$program" > /dev/null; then
        echo "compare.sh: $program is missing; the head of this script says what it needs" >&2
        exit 2
    fi
done

# Hidden and dtype as in the acceptance of the project; 1024 tokens for each rank of 2 x 2. Ours makes more calls than
# the peer, so that those counted, the second half, run compiled code: four JVMs on two cores take some ten seconds to get
# there, eight of them a minute.
readonly TOKENS=4096 HIDDEN=7168
if [[ $quick == yes ]]; then
    rounds=2 iterations=120 peer_iterations=30 small_calls=60 large_calls=20 alone_calls=60
    many_rounds=1 few_iterations=100 many_iterations=8
    worlds='1x1 1x8' jmh=(-wi 1 -i 1 -w 200ms -r 200ms -p 'transport=aeron data-path=mapped,ucx tls=posix')
    out=$here/target/performance
else
    rounds=2 iterations=900 peer_iterations=80 small_calls=6000 large_calls=2000 alone_calls=400
    many_rounds=1 few_iterations=600 many_iterations=40
    worlds='1x1 1x8 2x4' jmh=(-wi 1 -i 2 -w 500ms -r 500ms)
    out=$root/docs/performance
fi

say()
{
    printf '%s compare.sh: %s\n' "$(date +%H:%M:%S)" "$*" >&2
}

# checked LOG command...: its standard output; what it says besides is shown where it fails
checked()
{
    local log=$work/$1
    shift
    "$@" 2> "$log" || { cat "$log" >&2; say "failed: $*"; exit 1; }
}

# ours NAME ROUND options...; the trace is $input and the width $width where they are set
ours()
{
    local name=$1 round=$2
    shift 2
    checked log "$root/transload" run --json --timeout 120s \
        --trace "${input:-$work/trace.jsonl}" --hidden "${width:-$HIDDEN}" "$@" > "$work/$name-$round.json"
}

# mpi NAME ROUND DTYPE
mpi()
{
    checked log mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -np 4 "$work/mpi_peer" \
        "$work/trace.jsonl" "$HIDDEN" "$peer_iterations" "$3" > "$work/$1-$2.json"
}

facts()
{
    local model
    model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort -u | tr '\n' ' ')
    printf '%s\t%s\n' \
        date "$(date -u +%Y-%m-%d)" \
        commit "$(git -C "$root" rev-parse --short HEAD)$(git -C "$root" diff --quiet HEAD || echo ' and changes')" \
        processors "$(nproc) x ${model:-unknown}" \
        caches "L2 $(getconf LEVEL2_CACHE_SIZE) bytes, L3 $(getconf LEVEL3_CACHE_SIZE) bytes" \
        memory "$(awk '/^MemTotal/ { printf "%.0f GB", $2 * 1024 / 1e9 }' /proc/meminfo)" \
        kernel "$(uname -sr)" \
        'huge pages' "$(cat /sys/kernel/mm/transparent_hugepage/enabled 2> /dev/null || echo none)" \
        'load before' "$load" \
        java "$("$java" -version 2>&1 | sed -n '3p')" \
        aeron "$(sed -n 's/.*<aeron.version>\(.*\)<.*/\1/p' "$root/pom.xml")" \
        ucx "$(ucx_info -v | sed -n 's/^# \(Library version\|Version\):* *//p' | head -n 1)" \
        'open mpi' "$(mpirun --version | sed -n '1p')" \
        'c compiler' "$(gcc --version | sed -n '1p')"
}

whole_runs()
{
    local round
    for ((round = 1; round <= rounds; round++)); do
        say "whole runs, round $round of $rounds"
        ours aeron "$round" --iterations "$iterations" --scale-out aeron --scale-up aeron
        mpi mpi "$round" bf16
        ours ucx "$round" --iterations "$iterations" --scale-out ucx --scale-up ucx
        ours aeron-fp8 "$round" --iterations "$iterations" --scale-out aeron --scale-up aeron --dtype fp8
        mpi mpi-fp8 "$round" fp8
    done
    # Elsewhere ranks, which outnumber the cores, drive their engines themselves, and calls are counted too.
    ours threaded 1 --iterations "$iterations" --scale-out aeron --scale-up aeron -Dtransload.threads.count=1
}

# repeated N NAME: the trace's tokens N times over
repeated()
{
    local i
    sed -n '1p' "$work/trace.jsonl" > "$work/$2.jsonl"
    for ((i = 0; i < $1; i++)); do
        sed 1d "$work/trace.jsonl" >> "$work/$2.jsonl"
    done
}

# The same tokens 16 times over, at the width of the model that the trace is from: each number is checked.
many_tokens()
{
    local round
    repeated 16 many
    for ((round = 1; round <= many_rounds; round++)); do
        say "16 times the tokens, round $round of $many_rounds"
        width=2048 ours few "$round" --iterations "$few_iterations"
        input=$work/many.jsonl width=2048 ours many "$round" --iterations "$many_iterations"
    done
}

# The same tokens in worlds of one to eight ranks; twice as many, which are 1024 for each of eight; four times as many.
processor_time()
{
    local world topk
    repeated 2 middle
    repeated 4 large
    for topk in 1 4; do
        for world in $worlds; do
            say "processor time, $world ranks, top-$topk"
            if [[ $world == 1x1 ]]; then
                world "$world" "$topk" small trace $((4 * alone_calls))
                [[ $topk == 4 ]] || world "$world" "$topk" middle middle $((2 * alone_calls))
                [[ $topk == 4 ]] || world "$world" "$topk" large large "$alone_calls"
            elif [[ $topk == 4 ]]; then
                world "$world" "$topk" small trace $((small_calls / 3))
            else
                world "$world" "$topk" small trace "$small_calls"
                [[ $world != 1x8 ]] || world "$world" "$topk" middle middle $((small_calls / 2))
                world "$world" "$topk" large large "$large_calls"
            fi
        done
    done
}

# world NxG TOPK NAME TRACE CALLS
world()
{
    input=$work/$4.jsonl ours "world-$1-$2-$3" 1 --nodes "${1%x*}" --ranks-per-node "${1#*x}" --topk "$2" \
        --iterations "$5"
}

micro()
{
    say 'rings, signals and channels'
    checked log "$java" -Djmh.ignoreLock=true --add-exports java.base/jdk.internal.misc=ALL-UNNAMED \
        -cp "$here/target/classes:$here/target/lib/*" org.openjdk.jmh.Main '\.(Channel|Signal|Ring)Benchmark\.' \
        "${jmh[@]}" -prof gc -rf json -rff "$work/jmh.json" > "$work/jmh.log"
}

# part NAME what command...: a peer of a single part that fails leaves its table out, loudly, and nothing else.
part()
{
    local name=$1 what=$2
    shift 2
    say "$what"
    (checked log "$@" > "$work/$name.part") && mv "$work/$name.part" "$work/$name.txt" ||
        say "THE TABLE '$name' IS LEFT OUT"
}

parts()
{
    part low-latency 'low-latency calls beside a bare exchange' "$here/low-latency.sh" 2
    part row-kernels 'row kernels beside C' "$here/row-kernels.sh" 1
    part aeron-samples 'transport aeron beside the samples of Aeron' "$here/aeron-samples.sh" 1
    part ucx-perftest 'transport ucx beside ucx_perftest' "$here/ucx-perftest.sh" 1 posix,self tcp
}

load=$(cut -d' ' -f1-3 /proc/loadavg)
say "load average $load"
say 'building'
cd "$root"
mvn -B -q -pl benchmarks,cli -am package -Dmaven.test.skip=true -Dcheckstyle.skip >&2
mpicc -O3 -march=native -ffp-contract=off -o "$work/mpi_peer" "$here"/peers/*.c
trace=$(echo data/traces/*.jsonl)
sed -n "1,$((TOKENS + 1))p" "$trace" > "$work/trace.jsonl"
facts > "$work/facts.txt"
whole_runs
many_tokens
processor_time
micro
[[ $quick == yes ]] || parts
python3 "$here/performance.py" "$work" "$here/performance.template.md" "$out"
say "wrote $out.json and $out.md"
