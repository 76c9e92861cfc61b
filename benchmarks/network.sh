#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Measures `transload bench` between two network namespaces, over Aeron UDP and UCX tcp, by turns with Aeron's own samples
# and ucx_perftest between the same two: a network of one machine, without its memory.
# Usage: benchmarks/network.sh [rounds] [rate]    (rate: of each direction, as tc writes it, e.g. 1gbit; else unshaped)
# Needs root, iproute2, util-linux, ucx_perftest (Debian: ucx-utils), Python 3 and a finished build; JAVA_HOME chooses the
# JDK. Prints each round, then the medians, and the median of the rounds' ratios with min and max: above 1, ours is better.
#
# put      of 14336 bytes and of 1 MiB, GB/s; of 8 bytes, millions a second. Ours: one way, 64 under way. ucx_perftest:
#          ucp_put_bw -O 64. Sample: StreamingPublisher to RateSubscriber with messages of 14336 bytes, a driver each, MTU
#          and term as ours.
# latency  of 8 bytes, us: half of a round trip. ucx_perftest: ucp_put_lat.
set -euo pipefail

rounds=${1:-3} rate=${2:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
samples=$here/target/peers/aeron-all.jar
readonly SUBNET=10.213.8. MTU=1408 TERM_LENGTH=${TERM_LENGTH:-1m} SECONDS_EACH=6
spaces=("transload-net-$$-0" "transload-net-$$-1")
work=$(mktemp -d)
declare -a children=()
stop()
{
    local child space
    for child in "${children[@]}"; do kill "$child" 2> /dev/null || true; done
    for space in "${spaces[@]}"; do ip netns delete "$space" 2> /dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM

for program in ip ucx_perftest python3 unshare "$java"; do
    command -v "$program" > /dev/null ||
        { echo "network.sh: $program is missing; the head of this script says what it needs" >&2; exit 2; }
done
[[ -f $samples ]] ||
    { echo "network.sh: $samples is missing: build first with mvn -pl benchmarks -am package -DskipTests" >&2; exit 2; }

for space in "${spaces[@]}"; do ip netns add "$space"; done
ip link add "tln$$a" netns "${spaces[0]}" type veth peer name "tln$$b" netns "${spaces[1]}"
for side in 0 1; do
    device=tln$$$([[ $side == 0 ]] && echo a || echo b)
    ip -n "${spaces[side]}" address add "$SUBNET$((side + 1))/24" dev "$device"
    ip -n "${spaces[side]}" link set "$device" up
    ip -n "${spaces[side]}" link set lo up
    [[ -z $rate ]] || ip netns exec "${spaces[side]}" tc qdisc add dev "$device" root tbf rate "$rate" burst 256k latency 50ms
done

# on SIDE command...: in a namespace, as a host of a name of its own
on()
{
    local side=$1
    shift
    # shellcheck disable=SC2016
    ip netns exec "${spaces[side]}" unshare --uts sh -c 'hostname "$1" && shift && exec "$@"' sh "node-$side" "$@"
}

# ours TRANSPORT variable=value...: figures of `transload bench`
ours()
{
    local name=$1 side
    shift
    for side in 1 0; do
        on "$side" env "$@" TRANSLOAD_AERON_HOST="$SUBNET$((side + 1))" "$root/transload" bench "$name" --json \
            --sizes 8,14336,1m --window 64 --duration 2s --timeout 120s --rank "$side" --world 2 \
            --rendezvous "${SUBNET}1:21750" > "$work/$side.json" 2> "$work/$side.err" &
        children=($!)
        [[ $side == 0 ]] || other=$!
    done
    wait "${children[0]}" && wait "$other" || { cat "$work"/?.err >&2; exit 1; }
    children=()
    python3 - "$name" "$work/0.json" << 'PYTHON'
import json, sys
name, data = sys.argv[1], json.load(open(sys.argv[2]))
for result in data["results"]:
    if result["traffic"] == "one-way":
        print(f"transload {name}-put-{result['bytes']}",
              result["million_per_second" if result["bytes"] == 8 else "GBps"])
print(f"transload {name}-latency-8", data["latencies"][0]["micros"]["p50"])
PYTHON
}

# perftest NAME test bytes iterations [options]
perftest()
{
    local name=$1 test=$2 bytes=$3 count=$4 port=$((20000 + RANDOM % 10000)) tries=0
    shift 4
    on 1 env UCX_TLS=tcp,self UCX_LOG_LEVEL=error timeout 120 ucx_perftest -p "$port" > /dev/null 2>&1 &
    children=($!)
    until on 0 env UCX_TLS=tcp,self UCX_LOG_LEVEL=error timeout 120 ucx_perftest "${SUBNET}2" -p "$port" -t "$test" \
        -s "$bytes" -n "$count" -w $((count / 10 + 1)) -f -v "$@" > "$work/perftest" 2> "$work/err"; do
        tries=$((tries + 1))
        ((tries < 50)) || { cat "$work/err" >&2; exit 1; }
        sleep 0.1
    done
    wait "${children[0]}" || true
    children=()
    awk -F, -v name="$name" -v bytes="$bytes" 'END {
        print "peer", name, name ~ /latency/ ? $4 : bytes == 8 ? $8 / 1e6 : $6 * 1048576 / 1e9 }' "$work/perftest"
}

# Rates of whole seconds that the subscriber prints, without the first two.
sample()
{
    local side class channel="aeron:udp?endpoint=${SUBNET}2:20121|term-length=$TERM_LENGTH|mtu=$MTU"
    for side in 1 0; do
        class=$([[ $side == 1 ]] && echo RateSubscriber || echo StreamingPublisher)
        on "$side" timeout -s INT -k 5 "$SECONDS_EACH" "$java" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED \
            -Daeron.dir="$work/driver-$side" -Daeron.sample.embeddedMediaDriver=true -Daeron.threading.mode=SHARED \
            -Daeron.sample.messageLength=14336 -Daeron.sample.messages=100000000 -Daeron.sample.lingerTimeout=0 \
            -Daeron.mtu.length=$MTU -Daeron.socket.so_sndbuf=2m -Daeron.socket.so_rcvbuf=2m \
            -Daeron.rcv.initial.window.length=2m -Daeron.sample.channel="$channel" \
            -Daeron.sample.exclusive.publications=true -cp "$samples" "io.aeron.samples.$class" \
            > "$work/sample-$side" 2> "$work/sample-$side.err" < /dev/null &
        children+=($!)
    done
    wait "${children[@]}" || true
    children=()
    awk '$2 == "msgs/sec," && ++n > 2 { print $3 / 1e9 }' "$work/sample-1" | sort -n |
        awk '{ rate[NR] = $1 } END { if (NR) print "peer aeron-put-14336", rate[int((NR + 1) / 2)]; else exit 1 }' ||
        { cat "$work"/sample-?.err "$work"/sample-? >&2; exit 1; }
}

for ((round = 1; round <= rounds; round++)); do
    echo "round $round of $rounds"
    {
        sample
        ours aeron TRANSLOAD_AERON_DATA_PATH=messages
        perftest ucx-put-8 ucp_put_bw 8 500000 -O 64
        perftest ucx-put-14336 ucp_put_bw 14336 100000 -O 64
        perftest ucx-put-1048576 ucp_put_bw 1048576 1000 -O 64
        perftest ucx-latency-8 ucp_put_lat 8 20000
        ours ucx UCX_TLS=tcp,self
    } > "$work/round"
    cat "$work/round"
    cat "$work/round" >> "$work/figures"
done

python3 - "$work/figures" << 'PYTHON'
import statistics, sys
figures = {}
for line in open(sys.argv[1]):
    who, name, value = line.split()
    figures.setdefault(name, {}).setdefault(who, []).append(float(value))
print("\noperation | unit | peer | transload | ratio (min, max)")
for name, both in sorted(figures.items()):
    ours, peer = both["transload"], both.get("peer")
    unit = "us" if "latency" in name else "M/s" if name.endswith("-8") else "GB/s"
    if peer is None:
        print(f"{name} | {unit} | - | {statistics.median(ours):.3f} | -")
        continue
    ratios = sorted(b / a if unit == "us" else a / b for a, b in zip(ours, peer))
    print(f"{name} | {unit} | {statistics.median(peer):.3f} | {statistics.median(ours):.3f} | "
          f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}, {ratios[-1]:.2f})")
PYTHON
