#!/bin/sh
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Compares the transport ucx with ucx_perftest over the same UCX_TLS: both between two processes, by turns, in one run.
# Usage: benchmarks/ucx-perftest.sh [rounds] [tls ...]    (tls: posix,self sysv,self tcp unless given)
# Needs ucx_perftest (Debian: ucx-utils) and a finished build; JAVA_HOME chooses the JDK. Prints each round, then for each
# figure the medians, the median of the ratios of the rounds, with min and max of several, and the ratio of the best rounds.
#
# What is compared; both sides write one place of the peer again and again, and the peer looks at it and drives its worker:
#   put      ucp_put_bw, at most 32 under way (its default). Ours: Channel.put until BACK_PRESSURED (max-operations, 8192),
#            and a flush that waits for the last at the end of each 20 ms.
#   load     ucp_get with -O 32, Channel.load as put.
#   latency  ucp_put_lat: half of a round trip, put against put, each seen in memory by its last byte or word.
#   add      ucp_add, which fetches nothing: its 64-bit adds with -O 32 against atomicAdd to a region, and to a signal.
#   add-flush  ucp_fadd with one under way: each waits for the fetched value. Ours adds and flushes, each waits for its end.
# ROWS rows of 14336 bytes in random order, by default more than the last-level cache holds, are put in chunks of 512 and
# copied (memcpy) by turns. Where memory is shared, ours is measured directly (rkey_ptr) and with direct=never.
set -eu

rounds=${1:-3}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- posix,self sysv,self tcp
here=$(cd "$(dirname "$0")" && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
port=$((20000 + $$ % 10000))
work=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server" 2> /dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
export UCX_LOG_LEVEL="${UCX_LOG_LEVEL:-error}"

if ! command -v ucx_perftest > /dev/null; then
    echo "ucx-perftest.sh: ucx_perftest is missing: apt-get install ucx-utils" >&2
    exit 2
fi

if [ -z "${BENCHMARK_CLASS_PATH:-}" ]; then
    BENCHMARK_CLASS_PATH="$here/target/classes:$here/target/lib/*"
    if [ ! -d "$here/target/lib" ]; then
        echo "ucx-perftest.sh: $here/target/lib is missing: build first with mvn -pl benchmarks -am package -DskipTests" >&2
        exit 2
    fi
fi

if [ -z "${ROWS:-}" ]; then
    cache=$(getconf LEVEL3_CACHE_SIZE 2> /dev/null || echo 0)
    ROWS=$((cache / 14336 * 5 / 4 + 8192))
    # Three regions of that size, in shared memory.
    free=$(df -Pk /dev/shm | awk 'NR == 2 { print int($4 * 1024 / 4 / 14336) }')
    [ "$ROWS" -le "$free" ] || ROWS=$free
fi

# perftest operation bytes test iterations [options]: prints "operation bytes value unit"
perftest()
{
    operation=$1 bytes=$2 test=$3 count=$4
    shift 4
    port=$((port + 1))
    UCX_TLS=$tls timeout 120 ucx_perftest -p $port > /dev/null 2>&1 &
    server=$!
    tries=0
    until UCX_TLS=$tls timeout 120 ucx_perftest 127.0.0.1 -p $port -t "$test" -s "$bytes" -n "$count" \
        -w $((count / 10 + 1)) -f -v "$@" > "$work/perftest" 2> "$work/perftest.err"; do
        tries=$((tries + 1))
        if [ $tries -gt 50 ] || ! kill -0 "$server" 2> /dev/null; then
            cat "$work/perftest.err" >&2
            echo "ucx-perftest.sh: ucx_perftest -t $test over $tls failed" >&2
            exit 1
        fi
        sleep 0.1
    done
    wait "$server" || true
    server=
    # Columns: iterations, latency (us) typical, average, overall, bandwidth (MiB/s) average, overall, rate (1/s) likewise
    awk -F, -v operation="$operation" -v bytes="$bytes" '
        END {
            if (operation == "latency" || operation == "add-flush") { value = $4; unit = "us" }
            else if (bytes == 8) { value = $8 / 1e6; unit = "M/s" }
            else { value = $6 * 1048576 / 1e9; unit = "GB/s" }
            print operation, bytes, value, unit
        }' "$work/perftest"
}

# Each test takes about half a second.
run_perftest()
{
    case $tls in
    *tcp*) scale=1 ;;
    *) scale=10 ;;
    esac
    perftest put 8 ucp_put_bw $((500000 * scale))
    perftest put 14336 ucp_put_bw $((100000 * scale))
    perftest put 1048576 ucp_put_bw $((1000 * scale / 2))
    perftest put 8388608 ucp_put_bw $((100 * scale / 2))
    perftest load 8 ucp_get $((100000 * scale)) -O 32
    perftest load 14336 ucp_get $((50000 * scale)) -O 32
    perftest load 1048576 ucp_get $((1000 * scale / 2)) -O 32
    perftest load 8388608 ucp_get $((100 * scale / 2)) -O 32
    perftest add 8 ucp_add $((200000 * scale)) -O 32
    perftest add-flush 8 ucp_fadd $((20000 * scale)) -O 1
    perftest latency 8 ucp_put_lat $((20000 * scale))
    perftest latency 14336 ucp_put_lat $((10000 * scale))
    perftest latency 1048576 ucp_put_lat $((200 * scale))
    perftest latency 8388608 ucp_put_lat $((20 * scale))
}

run_java()
{
    "$java" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED -Drows="$ROWS" ${ONLY:+-Donly=$ONLY} \
        -cp "$BENCHMARK_CLASS_PATH" dev.transload.benchmarks.TransportOperations ucx "tls=$tls" "$@" \
        > "$work/java" 2>&1 || { cat "$work/java" >&2; exit 1; }
    grep '^measured ' "$work/java" | cut -d' ' -f2-
}

round=1
while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds, $ROWS rows"
    for tls; do
        {
            run_perftest | sed "s/^/perftest $tls /"
            run_java | sed "s/^/auto $tls /"
            case $tls in
            *tcp*) ;;
            *) run_java direct=never | sed "s/^/never $tls /" ;;
            esac
        } > "$work/round"
        tee -a "$work/figures" < "$work/round"
    done
    round=$((round + 1))
done

echo
echo "UCX_TLS | direct | operation | bytes | unit | ucx_perftest | transload | ratio (min, max) | of best | bytes/op"
awk '
    function sort(list, n,   i, j, t)
    {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
        return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
    }
    # perftest: value unit; ours: median best unit ns bytes
    $1 == "perftest" { key = $2 " " $3 " " $4; peer[key, ++peers[key]] = $5; next }
    {
        key = $1 " " $2 " " $3 " " $4
        if (!(key in count)) { order[++keys] = key; mode[key] = $1; tls[key] = $2; name[key] = $3; size[key] = $4 }
        n = ++count[key]
        own[key, n] = $5; best[key, n] = $6; unit[key] = $7; bytes[key] = $9
    }
    END {
        for (k = 1; k <= keys; k++) {
            key = order[k]
            isTime = unit[key] == "us"
            as = tls[key] " " (name[key] == "region-add" ? "add" : name[key]) " " size[key]
            n = count[key]
            # One number says how good a round was, whatever its unit.
            mostOwn = mostPeer = 0
            for (i = 1; i <= n; i++) {
                a[i] = own[key, i]
                good = isTime ? 1 / best[key, i] : best[key, i]
                if (good > mostOwn) mostOwn = good
                if (as in peers) {
                    b[i] = peer[as, i]
                    r[i] = isTime ? b[i] / a[i] : a[i] / b[i]
                    good = isTime ? 1 / b[i] : b[i]
                    if (good > mostPeer) mostPeer = good
                }
            }
            head = tls[key] " | " mode[key] " | " name[key] " | " size[key] " | " unit[key]
            if (as in peers) {
                ratio = sort(r, n)
                printf "%s | %.3f | %.3f | %.2f%s | %.2f | %.3f\n", head, sort(b, n), sort(a, n), ratio,
                    (n > 1 ? sprintf(" (%.2f, %.2f)", r[1], r[n]) : ""), mostOwn / mostPeer, bytes[key]
            }
            else {
                middle = sort(a, n)
                printf "%s | - | %.3f | %s | - | %.3f\n", head, middle,
                    (n > 1 ? sprintf("(%.3f, %.3f)", a[1], a[n]) : "-"), bytes[key]
            }
        }
    }' "$work/figures"
