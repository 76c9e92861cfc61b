#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Measures the transports and whole runs across a network, beside their peers: by turns, on this machine, in one go.
# Usage: benchmarks/network.sh [--docs] [ROUNDS [PART...]]    (3 rounds of all parts unless given; JAVA_HOME chooses the JDK)
# With --docs, the figures replace those in docs/performance.json, and docs/performance.md is written again.
# Needs root, for network namespaces; iproute2, util-linux, a finished build, Python 3, gcc, Open MPI (Debian:
# openmpi-bin, libopenmpi-dev) and ucx_perftest (ucx-utils). About 8 minutes a round. Prints each figure, then the medians,
# the median of the ratios with min and max of several rounds (above 1, ours is better), and whether goals are met.
#
# The network is a veth pair between two nodes of this host. A node is a network, mount, IPC and UTS namespace with its own
# /dev/shm, so nothing but the network leads from one to the other; the counters of its interfaces are checked against the
# rows of whole runs. Both nodes share all cores, which programs in them cannot see: so engines have no threads of their
# own (threads.count = 0, as by default where ranks outnumber cores), and Open MPI yields.
#
# Parts:
#   operations  `transload bench`, one way, 64 puts under way; latency is half the time of a put with its signal there and
#               back. Over aeron (UDP) beside StreamingPublisher to RateSubscriber and Ping with Pong, a process and a
#               driver of one thread each, MTU 1408 and buffers of 2 MB as ours. Over ucx (tcp) beside ucx_perftest:
#               ucp_put_bw -O 64, and ucp_put_lat, which sees the put itself and has no signal.
#   whole       2 x 2 ranks as compare.sh: 4096 tokens of the shipped trace, hidden 7168, BF16. Ours: ucx (tcp) between
#               nodes and UP within. Peer: benchmarks/peers over Open MPI, tcp between nodes and shared memory within.
#   shaped      2 x 2 and 2 x 4 ranks, 4096 tokens, top-8 of 64 experts, on a link of 1 Gbit/s each way (tc tbf), over ucx
#               (tcp) and over aeron (UDP, mapped within nodes; with the default MTU and with 8192 bytes).
# A run's figure is the time of iterations on end, as in compare.sh: of the slowest rank, mean of the second half.
set -euo pipefail

docs=no
[[ ${1:-} != --docs ]] || { docs=yes; shift; }
rounds=${1:-3}
shift $(($# > 0 ? 1 : 0))
parts=("${@:-all}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
samples=$here/target/peers/aeron-all.jar
readonly DEVICE=net0 SUBNET=10.213.8 TOKENS=4096 HIDDEN=7168 MTU=1408 SIZES=8,14336,1m
readonly ITERATIONS=${ITERATIONS:-300} PEER_ITERATIONS=${PEER_ITERATIONS:-60}
readonly SHAPED_ITERATIONS=${SHAPED_ITERATIONS:-60} SHAPED_PEER_ITERATIONS=${SHAPED_PEER_ITERATIONS:-20}
readonly UP=${UP:-aeron}
spaces=("transload-$$-0" "transload-$$-1") holders=()
port=21700
work=$(mktemp -d)

say()
{
    printf '%s network.sh: %s\n' "$(date +%H:%M:%S)" "$*" >&2
}

fail()
{
    say "$*"
    exit 1
}

# A node's namespaces end with its last process.
clean_up()
{
    local space pid
    trap '' INT TERM
    for space in "${spaces[@]}"; do
        for pid in $(ip netns pids "$space" 2> /dev/null); do
            kill -KILL "$pid" 2> /dev/null || true
        done
        ip netns delete "$space" 2> /dev/null || true
    done
    wait
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

unavailable()
{
    echo "network.sh: $*" >&2
    exit 2
}

check_needs()
{
    local program part
    [[ $(id -u) == 0 ]] || unavailable 'network namespaces need root'
    for program in ip tc nsenter unshare mpicc mpirun ucx_perftest python3 "$java"; do
        command -v "$program" > /dev/null || unavailable "$program is missing; the head of this script says what it needs"
    done
    [[ -f $samples ]] ||
        unavailable "$samples is missing: build first with mvn -pl benchmarks,cli -am package -DskipTests"
    [[ $rounds =~ ^[1-9][0-9]*$ ]] || unavailable "ROUNDS $rounds is not allowed: must be a number"
    for part in "${parts[@]}"; do
        [[ $part =~ ^(all|operations|whole|shaped)$ ]] ||
            unavailable "PART $part is not allowed: must be operations, whole or shaped"
    done
    # The page's table is written anew: rows of other parts would be lost.
    [[ $docs == no || ${parts[*]} == all ]] || unavailable "--docs is not allowed together with PART: it needs all parts"
}

# The process that holds a node sleeps.
make_nodes()
{
    local node tries
    for node in 0 1; do
        ip netns add "${spaces[node]}" || unavailable 'network namespaces cannot be made here'
        # shellcheck disable=SC2016
        ip netns exec "${spaces[node]}" unshare --mount --ipc --uts sh -c '
            mount -t tmpfs tmpfs /dev/shm && hostname "node-$1" && touch "$2" && exec sleep infinity' \
            sh "$node" "$work/node-$node" &
        holders[node]=$!
        # Its end is no news.
        disown
    done
    for node in 0 1; do
        for ((tries = 0; tries < 100; tries++)); do
            [[ ! -e $work/node-$node ]] || break
            sleep 0.1
        done
        [[ -e $work/node-$node ]] || unavailable 'mount namespaces cannot be made here'
    done
    ip link add "$DEVICE" netns "${spaces[0]}" type veth peer name "$DEVICE" netns "${spaces[1]}"
    for node in 0 1; do
        ip -n "${spaces[node]}" address add "$(address "$node")/24" dev "$DEVICE"
        ip -n "${spaces[node]}" link set "$DEVICE" up
        ip -n "${spaces[node]}" link set lo up
    done
}

address()
{
    echo "$SUBNET.$(($1 + 1))"
}

# on NODE command...
on()
{
    local node=$1
    shift
    nsenter --target "${holders[node]}" --net --mount --ipc --uts -- "$@"
}

shape()
{
    local node
    for node in 0 1; do
        on "$node" tc qdisc replace dev "$DEVICE" root tbf rate 1gbit burst 128kb limit 16mb
    done
}

unshape()
{
    local node
    for node in 0 1; do
        on "$node" tc -s qdisc show dev "$DEVICE" | awk -v node="$node" '/dropped/ { sub(/,/, "", $7)
            if ($7 > 0) print "network.sh: node " node " dropped " $7 " packets of the shaped link" }' >&2
        on "$node" tc qdisc del dev "$DEVICE" root
    done
}

# What both nodes have sent, in bytes with headers.
sent()
{
    local a b
    a=$(on 0 cat "/sys/class/net/$DEVICE/statistics/tx_bytes")
    b=$(on 1 cat "/sys/class/net/$DEVICE/statistics/tx_bytes")
    echo $((a + b))
}

# await pid...: fails where one of them fails
await()
{
    local pid status=0
    for pid; do
        wait "$pid" || status=$?
    done
    ((status == 0)) || { cat "$work"/rank-*.err >&2; fail "a rank ended with exit code $status"; }
}

# figure SIDE LINK TRANSPORT OPERATION UNIT VALUE [MB on the wire of an iteration]
figure()
{
    printf 'figure\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "$6" "${7:--}" | tee -a "$work/figures"
}

# bench TRANSPORT LABEL variable=value...
bench()
{
    local transport=$1 label=$2 node pids=() operation unit value
    shift 2
    port=$((port + 1))
    rm -f "$work"/rank-*
    for node in 0 1; do
        on "$node" env TRANSLOAD_AERON_HOST="$(address "$node")" "$@" "$root/transload" bench "$transport" --json \
            --sizes "$SIZES" --window 64 --duration 1s --timeout 120s --rank "$node" --world 2 \
            --rendezvous "$(address 0):$port" > "$work/rank-$node.out" 2> "$work/rank-$node.err" &
        pids+=($!)
    done
    await "${pids[@]}"
    while read -r operation unit value; do
        figure transload veth "$label" "${operation/-/ }" "$unit" "$value"
    done < <(python3 - "$work/rank-0.out" << 'END'
import json
import sys

found = json.load(open(sys.argv[1]))
for result in found["results"]:
    if result["traffic"] == "one-way":
        is_word = result["bytes"] == 8
        print(f"put-{result['bytes']}", *(("M/s", result["million_per_second"]) if is_word else ("GB/s", result["GBps"])))
print("latency-8", "us", found["latencies"][0]["micros"]["p50"])
END
    )
}

# launch NODE seconds class [properties]: a sample of Aeron with a driver of its own
launch()
{
    local node=$1 seconds=$2 class=$3
    shift 3
    on "$node" timeout -k 5 "$seconds" "$java" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED \
        -Daeron.dir=/dev/shm/sample -Daeron.dir.delete.on.start=true -Daeron.threading.mode=SHARED \
        -Daeron.mtu.length="$MTU" -Daeron.socket.so_sndbuf=2m -Daeron.socket.so_rcvbuf=2m \
        -Daeron.rcv.initial.window.length=2m -Daeron.sample.embeddedMediaDriver=true \
        -Daeron.sample.exclusive.publications=true -Daeron.sample.lingerTimeout=0 \
        -Daeron.sample.channel="aeron:udp?endpoint=$(address 1):20121" \
        -Daeron.sample.ping.channel="aeron:udp?endpoint=$(address 1):20123" \
        -Daeron.sample.pong.channel="aeron:udp?endpoint=$(address 0):20124" "$@" \
        -cp "$samples" "io.aeron.samples.$class"
}

# sample_pair seconds class peer [properties]: their outputs are sample-0 and sample-1
sample_pair()
{
    local seconds=$1 own=$2 other=$3 peer pid
    shift 3
    launch 1 $((seconds + 5)) "$other" "$@" > "$work/sample-1" 2>&1 < /dev/null &
    peer=$!
    # The sample asks whether to go on.
    echo n | launch 0 "$seconds" "$own" "$@" > "$work/sample-0" 2>&1 || [[ $? == 124 ]] ||
        { cat "$work"/sample-? >&2; fail "$own failed"; }
    for pid in $(ip netns pids "${spaces[1]}"); do
        [[ $pid == "${holders[1]}" ]] || kill "$pid" 2> /dev/null || true
    done
    wait "$peer" || true
}

# Rates of the seconds after the first two, as the subscriber counts them; of latency the median.
aeron_samples()
{
    local bytes value
    for bytes in 14336 1048576; do
        sample_pair 9 StreamingPublisher RateSubscriber -Daeron.sample.messageLength="$bytes" \
            -Daeron.sample.messages=100000000
        value=$(awk '$2 == "msgs/sec," && ++n > 2 { print $3 / 1e9 }' "$work/sample-1" | sort -n |
            awk '{ rate[NR] = $1 } END { if (NR) print rate[int((NR + 1) / 2)] }')
        [[ -n $value ]] || { cat "$work"/sample-? >&2; fail "RateSubscriber received no $bytes bytes"; }
        figure "Aeron's samples" veth 'aeron, UDP' "put $bytes" GB/s "$value"
    done
    sample_pair 60 Ping Pong -Daeron.sample.messageLength=8 -Daeron.sample.messages=2000 \
        -Daeron.sample.warmup.messages=200 -Daeron.sample.warmup.iterations=5
    value=$(awk 'NF == 4 && $2 ~ /^[01]\.[0-9]+$/ && $2 >= 0.5 { print $1 / 2; exit }' "$work/sample-0")
    [[ -n $value ]] || { cat "$work"/sample-? >&2; fail 'Ping did not end within 60 s: is the machine busy?'; }
    figure "Aeron's samples" veth 'aeron, UDP' 'latency 8' us "$value"
}

# perftest OPERATION UNIT test bytes iterations [options]
perftest()
{
    local operation=$1 unit=$2 test=$3 bytes=$4 count=$5 tries=0 server
    shift 5
    port=$((port + 1))
    on 1 env "${tcp[@]}" timeout 120 ucx_perftest -p "$port" > /dev/null 2>&1 &
    server=$!
    until on 0 env "${tcp[@]}" timeout 120 ucx_perftest "$(address 1)" -p "$port" -t "$test" -s "$bytes" -n "$count" \
        -w $((count / 10 + 1)) -f -v "$@" > "$work/perftest" 2> "$work/perftest.err"; do
        tries=$((tries + 1))
        if ((tries > 50)) || ! kill -0 "$server" 2> /dev/null; then
            cat "$work/perftest.err" >&2
            fail "ucx_perftest -t $test failed"
        fi
        sleep 0.1
    done
    wait "$server" || true
    # Columns: iterations, latency (us) typical, average, overall, bandwidth (MiB/s) average, overall, rate (1/s) likewise
    figure ucx_perftest veth 'ucx, tcp' "$operation $bytes" "$unit" "$(awk -F, -v unit="$unit" '
        END { print unit == "us" ? $2 : unit == "M/s" ? $8 / 1e6 : $6 * 1048576 / 1e9 }' "$work/perftest")"
}

tcp=('UCX_TLS=tcp,self' "UCX_NET_DEVICES=$DEVICE" "UCX_LOG_LEVEL=${UCX_LOG_LEVEL:-error}")

operations()
{
    aeron_samples
    bench aeron 'aeron, UDP' TRANSLOAD_AERON_DATA_PATH=messages TRANSLOAD_AERON_DRIVER_DIRECTORY=/dev/shm
    perftest put M/s ucp_put_bw 8 500000 -O 64
    perftest put GB/s ucp_put_bw 14336 100000 -O 64
    perftest put GB/s ucp_put_bw 1048576 1000 -O 64
    perftest latency us ucp_put_lat 8 20000
    bench ucx 'ucx, tcp' "${tcp[@]}"
}

# ours LINK LABEL EACH TRACE ITERATIONS OUT UP variable=value...: a run of 2 x EACH ranks
ours()
{
    local link=$1 label=$2 each=$3 trace=$4 iterations=$5 out=$6 up=$7 rank node before pids=()
    shift 7
    port=$((port + 1))
    rm -f "$work"/rank-*
    before=$(sent)
    for ((rank = 0; rank < 2 * each; rank++)); do
        node=$((rank / each))
        on "$node" env SLURM_PROCID="$rank" SLURM_NTASKS=$((2 * each)) SLURM_TASKS_PER_NODE="$each(x2)" \
            SLURM_LOCALID=$((rank % each)) SLURM_JOB_ID=$$ TRANSLOAD_RENDEZVOUS="$(address 0):$port" \
            TRANSLOAD_AERON_HOST="$(address "$node")" TRANSLOAD_AERON_DRIVER_DIRECTORY=/dev/shm \
            TRANSLOAD_THREADS_COUNT=0 "$@" "$root/transload" run --json --timeout 120s --trace "$trace" --hidden "$HIDDEN" \
            --iterations "$iterations" --scale-out "$out" --scale-up "$up" \
            > "$work/rank-$rank.out" 2> "$work/rank-$rank.err" &
        pids+=($!)
    done
    await "${pids[@]}"
    run_figure transload "$link" "$label" "$each" "$work/rank-0.out" "$before" "$trace"
}

# mpi LINK EACH TRACE ITERATIONS
mpi()
{
    local link=$1 each=$2 trace=$3 iterations=$4 before
    before=$(sent)
    on 0 env TMPDIR="$work" mpirun --allow-run-as-root --oversubscribe --host "$(address 0):$each,$(address 1):$each" \
        -np $((2 * each)) --mca plm rsh --mca plm_rsh_agent "$work/agent" --mca oob_tcp_if_include "$DEVICE" \
        --mca pml ob1 --mca btl tcp,vader,self --mca btl_tcp_if_include "$DEVICE" --mca mpi_yield_when_idle 1 \
        "$work/mpi_peer" "$trace" "$HIDDEN" "$iterations" bf16 > "$work/mpi.json" 2> "$work/mpi.err" ||
        { cat "$work/mpi.err" >&2; fail 'the MPI program failed'; }
    run_figure 'Open MPI' "$link" - "$each" "$work/mpi.json" "$before" "$trace"
}

# Where mpirun would call ssh: it starts what it is told in the other node.
write_agent()
{
    cat > "$work/agent" << END
#!/bin/sh
shift
exec nsenter --target ${holders[1]} --net --mount --ipc --uts -- env TMPDIR=$work sh -c "\$*"
END
    chmod +x "$work/agent"
}

# run_figure SIDE LINK LABEL EACH JSON BYTES-BEFORE TRACE: refuses a run whose rows did not go over the wire
run_figure()
{
    local after millis megabytes
    after=$(sent)
    read -r millis megabytes < <(python3 - "$5" $((after - $6)) "$7" "$4" "$HIDDEN" << 'END'
import json
import sys

name, wire, trace, each, hidden = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
run = json.load(open(name))
if not run["verified"]:
    sys.exit("not verified")
if "all_iterations" in run:
    count, least = run["all_iterations"], sum(run[call]["scale_out_bytes"] for call in ("dispatch", "combine"))
else:
    # A row for each rank of the other node, there and back.
    lines = [json.loads(line) for line in open(trace)]
    chosen = [line["topk_ids"] for line in lines if line["type"] == "route"]
    share = -(-next(line["num_experts"] for line in lines if line["type"] == "meta") // (2 * each))
    rows = sum(len({expert // share for expert in ids if expert // share // each != 2 * token // len(chosen)})
               for token, ids in enumerate(chosen))
    # The last one is that which is verified.
    count, least = len(run["dispatch_micros"]) + 1, 2 * rows * 2 * hidden
if wire < count * least:
    sys.exit(f"{wire} bytes were sent over the network, {count * least} are those of its rows")
print(run["dispatch_and_combine"]["wall_micros_per_iteration"]["mean"] / 1e3, wire / count / 1e6)
END
    ) || true
    [[ -n ${megabytes:-} ]] || fail "the run of $1 over $2 is not counted"
    figure "$1" "$2" "$3" "2 x $4 ranks" ms "$millis" "$megabytes"
}

whole()
{
    ours veth "ucx, tcp" 2 "$work/trace.jsonl" "$ITERATIONS" ucx "$UP" "${tcp[@]}"
    mpi veth 2 "$work/trace.jsonl" "$PEER_ITERATIONS"
}

shaped()
{
    local each
    shape
    for each in 2 4; do
        mpi '1 Gbit/s' "$each" "$work/top8.jsonl" "$SHAPED_PEER_ITERATIONS"
        ours '1 Gbit/s' 'ucx, tcp' "$each" "$work/top8.jsonl" "$SHAPED_ITERATIONS" ucx "$UP" "${tcp[@]}"
        ours '1 Gbit/s' 'aeron, UDP' "$each" "$work/top8.jsonl" "$SHAPED_ITERATIONS" aeron aeron
        ours '1 Gbit/s' 'aeron, UDP, mtu 8192' "$each" "$work/top8.jsonl" "$SHAPED_ITERATIONS" aeron aeron \
            TRANSLOAD_AERON_MTU=8192
    done
    unshape
}

write_traces()
{
    sed -n "1,$((TOKENS + 1))p" "$root"/data/traces/*.jsonl > "$work/trace.jsonl"
    python3 - "$TOKENS" > "$work/top8.jsonl" << 'END'
import json
import random
import sys

random.seed(26)
print(json.dumps({"type": "meta", "num_experts": 64, "top_k": 8}))
for _ in range(int(sys.argv[1])):
    print(json.dumps({"type": "route", "topk_ids": random.sample(range(64), 8), "topk_weights": [0.125] * 8}))
END
}

table()
{
    python3 - "$work/figures" << 'END'
import statistics
import sys

GOALS = {("veth", "aeron, UDP", "put 14336"): 0.7, ("veth", "aeron, UDP", "put 1048576"): 0.7,
         ("veth", "ucx, tcp", "put 8"): 0.65, ("veth", "ucx, tcp", "put 14336"): 0.95,
         ("veth", "ucx, tcp", "2 x 2 ranks"): 1.0}
for transport in ("ucx, tcp", "aeron, UDP", "aeron, UDP, mtu 8192"):
    GOALS["1 Gbit/s", transport, "2 x 2 ranks"] = 1.4
    GOALS["1 Gbit/s", transport, "2 x 4 ranks"] = 2.0

peers, ours = {}, {}
for line in open(sys.argv[1]):
    _, side, link, transport, operation, unit, value, sent = line.rstrip("\n").split("\t")
    found = ours if side == "transload" else peers
    found.setdefault((link, transport, operation), []).append((side, unit, float(value), sent))


def middle(values):
    return f"{statistics.median(values):.3f}"


def megabytes(rounds):
    values = [float(sent) for _, _, _, sent in rounds if sent != "-"]
    return f"{statistics.median(values):.1f}" if values else "-"


print("\nlink | transport | operation | unit | peer | of the peer | transload | ratio (min, max) | MB sent, peer | "
      "MB sent, transload | at least | goal")
for key, rounds in ours.items():
    link, transport, operation = key
    beside = peers.get(key) or peers.get((link, "-", operation))
    if not beside:
        continue
    own, other = [value for _, _, value, _ in rounds], [value for _, _, value, _ in beside]
    unit = rounds[0][1]
    ratios = [b / a if unit in ("us", "ms") else a / b for a, b in zip(own, other)]
    ratio = statistics.median(ratios)
    shown = f"{ratio:.2f}" + (f" ({min(ratios):.2f}, {max(ratios):.2f})" if len(ratios) > 1 else "")
    goal = GOALS.get(key)
    print(link, transport, operation, unit, beside[0][0], middle(other), middle(own), shown, megabytes(beside),
          megabytes(rounds), "-" if goal is None else goal, "" if goal is None else "met" if ratio >= goal else "MISSED",
          sep=" | ")
END
}

check_needs
make_nodes
write_agent
write_traces
mpicc -O3 -march=native -ffp-contract=off -o "$work/mpi_peer" "$here"/peers/*.c
# Builds what is stale, so that no rank does.
"$root/transload" transports > /dev/null
load=$(cut -d' ' -f1-3 /proc/loadavg)
say "load average $load"
[[ ${parts[0]} != all ]] || parts=(operations whole shaped)
for ((round = 1; round <= rounds; round++)); do
    for part in "${parts[@]}"; do
        say "round $round of $rounds, $part"
        "$part"
    done
done
table | tee "$work/table"
if [[ $docs == yes ]]; then
    {
        printf '%s\t%s\n' date "$(date +%F)" commit "$(git -C "$root" rev-parse --short HEAD)" 'load before' "$load"
        cat "$work/table"
    } > "$work/network.txt"
    python3 "$here/performance.py" "$work/network.txt" "$here/performance.template.md" "$root/docs/performance"
fi
