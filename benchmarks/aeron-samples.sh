#!/bin/sh
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Compares the transport aeron with Aeron's own samples of the same version: by turns, on the same machine, in one run.
# Usage: benchmarks/aeron-samples.sh [rounds]    (JAVA_HOME chooses the JDK; needs a finished build)
# Prints each round, then the medians of each figure, and the median of the ratios with min and max of several rounds:
# above 1, ours is better.
#
# What is compared. Over UDP a sample is two processes with a media driver each, as ours are. Over IPC it is one process.
#   ipc-rows    EmbeddedExclusiveIpcThroughput with messages of 14336 bytes, read by the peer in the log that they were
#               copied to. Ours: rows of that size, in random order, put to mapped memory of the peer, 117 MB of them.
#   udp-put     StreamingPublisher to RateSubscriber with messages of 14336 bytes, loopback, MTU 65504, buffers of 2 MB,
#               drivers of one thread. Ours: Channel.put of that size over the same kind of stream, applied and
#               acknowledged by the peer.
#   ipc-latency, udp-latency   EmbeddedPingPong, and Ping with Pong, with 32 bytes: half of the mean round trip. Ours:
#               puts of 8 bytes there and back, half of a round trip, over mapped memory and over the UDP streams.
set -eu

rounds=${1:-3}
here=$(cd "$(dirname "$0")" && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
samples=$here/target/peers/aeron-all.jar
work=$(mktemp -d)
# Aeron's own default is there too.
driver=/dev/shm/transload-samples-$$
[ -d /dev/shm ] || driver=$work/driver
peer=
trap 'test -z "$peer" || kill "$peer" 2> /dev/null; rm -rf "$work" "$driver" "$driver-peer"' EXIT
trap 'exit 1' INT TERM

if [ ! -f "$samples" ]; then
    echo "aeron-samples.sh: $samples is missing: build first with mvn -pl benchmarks -am package -DskipTests" >&2
    exit 2
fi

# launch seconds driver class [properties]: the sample instead of this shell, ended by a signal after these seconds
launch()
{
    seconds=$1 directory=$2 class=$3
    shift 3
    rm -rf "$directory"
    exec timeout -k 5 "$seconds" "$java" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED \
        -Daeron.dir="$directory" -Daeron.sample.lingerTimeout=0 -Daeron.mtu.length=65504 -Daeron.ipc.mtu.length=65504 \
        -Daeron.socket.so_sndbuf=2m -Daeron.socket.so_rcvbuf=2m -Daeron.rcv.initial.window.length=2m "$@" \
        -cp "$samples" "io.aeron.samples.$class"
}

# sample seconds class [properties]: its output
sample()
{
    seconds=$1
    shift
    # The samples ask whether to go on.
    echo n | (launch "$seconds" "$driver" "$@") 2> "$work/err" || [ $? -eq 124 ] || { cat "$work/err" >&2; exit 1; }
}

# pair seconds class peer [properties]: of two processes, whose outputs are $work/out and $work/peer
pair()
{
    seconds=$1 own=$2 other=$3
    shift 3
    set -- -Daeron.sample.embeddedMediaDriver=true -Daeron.sample.exclusive.publications=true \
        -Daeron.threading.mode=SHARED "$@"
    launch $((seconds + 5)) "$driver-peer" "$other" "$@" > "$work/peer" 2> "$work/peer-err" < /dev/null &
    peer=$!
    sample "$seconds" "$own" "$@" > "$work/out"
    kill "$peer" 2> /dev/null || true
    wait "$peer" || true
    peer=
}

# The middle of the seconds after the first two, in GB/s.
middle_rate()
{
    awk '$2 == "msgs/sec," && ++n > 2 { print $3 / 1e9 }' "$work/peer" | sort -n |
        awk '{ rate[NR] = $1 } END { if (NR) print rate[int((NR + 1) / 2)]; else exit 1 }' ||
        { cat "$work/peer" "$work/peer-err" "$work/out" "$work/err" >&2; exit 1; }
}

# latency medium: half of the mean round trip that Ping or EmbeddedPingPong has printed
latency()
{
    if ! grep -q '^#\[Mean' "$work/out"; then
        echo "aeron-samples.sh: the ping-pong over $1 did not end within 60 s: is the machine busy?" >&2
        exit 1
    fi
    awk -v medium="$1" '/^#\[Mean/ { gsub(/[^0-9. ]/, " "); print medium "-latency", $1 / 2, "us" }' "$work/out"
}

# pings N: how many messages, and how many before they are measured
pings()
{
    echo "-Daeron.sample.messages=$1 -Daeron.sample.warmup.messages=$(($1 / 10)) -Daeron.sample.warmup.iterations=5" \
        -Daeron.sample.messageLength=32
}

run_samples()
{
    sample 9 EmbeddedExclusiveIpcThroughput -Daeron.sample.messageLength=14336 > "$work/out"
    awk '$1 == "Duration" { sub(/ms/, "", $2); print $7, $2 }' "$work/out" | tr -d ',' |
        awk 'NR > 2 { print $1 / $2 / 1e6 }' | sort -n |
        awk '{ rate[NR] = $1 } END { print "ipc-rows", rate[int((NR + 1) / 2)], "GB/s" }'
    pair 9 StreamingPublisher RateSubscriber -Daeron.sample.messageLength=14336 -Daeron.sample.messages=100000000
    rate=$(middle_rate)
    echo "udp-put $rate GB/s"
    # Words.
    # shellcheck disable=SC2046
    sample 60 EmbeddedPingPong $(pings 50000) -Daeron.sample.exclusive.publications=true \
        -Daeron.sample.ping.channel=aeron:ipc -Daeron.sample.pong.channel=aeron:ipc > "$work/out"
    latency ipc
    # shellcheck disable=SC2046
    pair 60 Ping Pong $(pings 1000) '-Daeron.sample.ping.channel=aeron:udp?endpoint=localhost:20123' \
        '-Daeron.sample.pong.channel=aeron:udp?endpoint=localhost:20124'
    latency udp
}

# operations path: measured lines of TransportOperations
operations()
{
    "$java" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED -Donly="$2" \
        -cp "$here/target/classes:$here/target/lib/*" dev.transload.benchmarks.TransportOperations \
        aeron "data-path=$1" > "$work/java" 2>&1 || { cat "$work/java" >&2; exit 1; }
    grep '^measured ' "$work/java" | cut -d' ' -f2-
}

run_java()
{
    operations mapped rows,latency | awk '$1 == "rows" { print "ipc-rows", $3, "GB/s" }
        $1 == "latency" && $2 == 8 { print "ipc-latency", $3, "us" }'
    operations messages put,latency | awk '$1 == "put" && $2 == 14336 { print "udp-put", $3, "GB/s" }
        $1 == "latency" && $2 == 8 { print "udp-latency", $3, "us" }'
}

round=1
while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds"
    # Not in a pipe: a failure there would not end the script.
    run_samples > "$work/samples"
    run_java > "$work/own"
    { sed 's/^/sample /' "$work/samples"; sed 's/^/transload /' "$work/own"; } > "$work/round"
    tee -a "$work/figures" < "$work/round"
    round=$((round + 1))
done

echo
echo "operation | unit | sample | transload | ratio (min, max)"
awk '
    { value[$1 " " $2, ++count[$1 " " $2]] = $3; unit[$2] = $4; if ($1 == "sample" && !seen[$2]++) order[++n] = $2 }
    function median(list, n,    i, j, t)
    {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
        return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
    }
    END {
        for (o = 1; o <= n; o++) {
            name = order[o]
            rounds = count["sample " name]
            for (i = 1; i <= rounds; i++) {
                a[i] = value["sample " name, i]; b[i] = value["transload " name, i]
                ratio[i] = unit[name] == "us" ? a[i] / b[i] : b[i] / a[i]
            }
            middle = median(ratio, rounds)
            printf "%s | %s | %.3f | %.3f | %.2f%s\n", name, unit[name], median(a, rounds), median(b, rounds), middle,
                (rounds > 1 ? sprintf(" (%.2f, %.2f)", ratio[1], ratio[rounds]) : "")
        }
    }' "$work/figures"
