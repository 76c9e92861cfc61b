#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Breaks runs over nvlink: each must end in time, with its exit code and a sentence that says what is wrong, and the
# GPUs must be of use afterwards. Usage: scripts/gpu/faults.sh [--emulate] GPUS OUT.json
# Exit code: how many cases did not end so. With --emulate it runs without a GPU; then no device is filled for real.
set -uo pipefail

emulate=()
[[ ${1:-} != --emulate ]] || { emulate=(--emulate); shift; }
(($# == 2 && $1 >= 2)) || { grep -o 'Usage: .*' "$0" | head -n 1 >&2; exit 2; }
readonly GPUS=$1 out=$(realpath -m "$2")
# Of a case, and of a call in it: what stands still must be noticed a good deal sooner.
readonly CASE_SECONDS=${CASE_SECONDS:-60} CALL_SECONDS=20
# Some seconds of calls, fewer than CASE_SECONDS.
readonly LOW_LATENCY_CALLS=${LOW_LATENCY_CALLS:-$( ((${#emulate[@]})) && echo 200 || echo 50000)}
# Rounds in which a rank is killed or stopped during or between device steps; 0 for none. Each takes about a second.
readonly STEP_ROUNDS=${STEP_ROUNDS:-$( ((${#emulate[@]})) && echo 8 || echo 100)}
# Exit codes of transload.
readonly DONE=0 UNAVAILABLE=3 PEER_FAILED=4
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
[[ ! -d jre ]] || export JAVA_HOME=$root/jre
work=$(mktemp -d)
# Nothing is left elsewhere, whatever is killed.
export JAVA_TOOL_OPTIONS="${JAVA_TOOL_OPTIONS:-} -Djava.io.tmpdir=$work" TRANSLOAD_CUDA_EMULATOR_DEVICES=$GPUS
started=()
failed=0
cases=()

end_all()
{
    local pid
    # timeout leads a process group, in which all is that it has started.
    for pid in "${started[@]}"; do
        kill -KILL -- "-$pid" 2> /dev/null || kill -KILL "$pid" 2> /dev/null
    done
    started=()
}
trap 'end_all; rm -rf "$work"' EXIT

# A string of JSON.
quoted()
{
    local text=${1//\\/\\\\}
    text=${text//\"/\\\"}
    printf '"%s"' "${text//[[:cntrl:]]/ }"
}

now_ms()
{
    local micros=${EPOCHREALTIME/[.,]/}
    echo $((micros / 1000))
}

# judge NAME MILLISECONDS EXIT_CODE EXPECTED_CODE PATTERN: looks at NAME.out and NAME.err
judge()
{
    local name=$1 millis=$2 code=$3 expected=$4 pattern=$5 verdict=false said
    said=$(grep -hE -e "$pattern" "$work/$name.err" "$work/$name.out" | tail -n 1)
    [[ $code != "$expected" || -z $said ]] || verdict=true
    [[ -n $said ]] || said=$(grep -v '^WARNING' "$work/$name.err" | tail -n 1)
    cases+=("{\"case\": $(quoted "$name"), \"passed\": $verdict, \"exit_code\": $code, \"expected\": $expected,
    \"seconds\": $((millis / 1000)).$(printf %03d $((millis % 1000))), \"said\": $(quoted "$said")}")
    printf '%-24s %s, exit code %d, %d ms: %s\n' "$name" "$([[ $verdict == true ]] && echo passed || echo FAILED)" \
        "$code" "$millis" "$said"
    [[ $verdict == true ]] || { failed=$((failed + 1)); tail -n 12 "$work/$name.err"; }
}

# expect NAME EXPECTED_CODE PATTERN command...
expect()
{
    within "$CASE_SECONDS" "$@"
}

# within SECONDS NAME EXPECTED_CODE PATTERN command...
within()
{
    local seconds=$1 name=$2 expected=$3 pattern=$4 begin code=0
    shift 4
    begin=$(now_ms)
    timeout -k 5 "$seconds" "$@" > "$work/$name.out" 2> "$work/$name.err" || code=$?
    judge "$name" $(($(now_ms) - begin)) "$code" "$expected" "$pattern"
}

readonly RUN=(./transload run --json --nodes 1 --scale-up nvlink "${emulate[@]}" --timeout "${CALL_SECONDS}s"
    --tokens 64 --experts 16 --topk 2)

usable()
{
    expect "$1" $DONE '"verified" : true' "${RUN[@]}" --ranks-per-node "$GPUS" --hidden 1024 --iterations 20
}

free_port()
{
    local port
    while port=$((20000 + RANDOM % 10000)) && (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do :; done
    echo "$port"
}

# calls PORT: how many dispatches and combines the rank has done that serves its counters there
calls()
{
    local connection
    { exec {connection}<> "/dev/tcp/127.0.0.1/$1"; } 2> /dev/null || return 1
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&"$connection"
    timeout 5 cat <&"$connection" |
        awk '/^transload_calls_seconds_count.*"(low-latency )?dispatch"/ { d = $NF }
            /^transload_calls_seconds_count.*"(low-latency )?combine"/ { c = $NF }
            END { print d, c }'
    exec {connection}>&-
}

# pid_of NAME: the JVM whose logs have this name. The launcher script may have asked another one for its settings first.
pid_of()
{
    local log
    log=$(ls -t "$work/$1-"*.os | head -n 1)
    log=${log##*-}
    echo "${log%.os}"
}

# in_dispatch NAME PORT CALLS: whether rank 0, whose peer stands still, rests within a dispatch, of so many. Counters
# don't tell that: after a verification ranks wait for each other, in normal mode by a dispatch of no tokens, else by the
# rendezvous. So the JVM is asked where its threads are; its answer goes to standard error.
in_dispatch()
{
    local said=$work/$1-0.err lines first second stacks
    lines=$(wc -l < "$said")
    first=$(calls "$2")
    kill -QUIT "$(pid_of "$1-0")" 2> /dev/null
    sleep 0.2
    second=$(calls "$2")
    stacks=$(tail -n "+$((lines + 1))" "$said")
    [[ -n $first && $first == "$second" ]] && ((${first% *} > 2 && ${first#* } < $3)) &&
        [[ $stacks == *LowLatencyEngine.dispatch\(* || $stacks == *DispatchCall.await\(*.Calls.run\(* ]]
}

# survive SIGNAL NAME SECONDS CALLS PATTERN options...: rank 1 gets a signal in mid-dispatch; all others must say within
# these seconds what became of it
survive()
{
    local name=rank-1-$1-$2 signal=$1 seconds=$3 calls=$4 pattern=$5
    local address metrics rank pids=() begin deadline victim code millis
    shift 5
    address=127.0.0.1:$(free_port)
    metrics=$(free_port)
    for ((rank = 0; rank < GPUS; rank++)); do
        # The JVM tells its process by the name of a log.
        TRANSLOAD_RANK=$rank TRANSLOAD_WORLD_SIZE=$GPUS TRANSLOAD_RENDEZVOUS=$address \
            JAVA_TOOL_OPTIONS="$JAVA_TOOL_OPTIONS -Xlog:os:file=$work/$name-$rank-%p.os" \
            timeout -k 5 "$CASE_SECONDS" "${RUN[@]}" --ranks-per-node "$GPUS" --hidden 7168 --iterations "$calls" \
            "$@" --metrics-port "$metrics" > "$work/$name-$rank.out" 2> "$work/$name-$rank.err" &
        pids+=($!)
    done
    started+=("${pids[@]}")
    deadline=$((SECONDS + CASE_SECONDS / 2))
    until read -r code _ < <(calls $((metrics + 1))) && ((code > 2)) || ((SECONDS > deadline)) ||
        ! kill -0 "${pids[1]}" 2> /dev/null; do sleep 0.1; done
    victim=$(pid_of "$name-1")
    # Between two calls, or in a combine, it goes on for a moment.
    until kill -STOP "$victim" 2> /dev/null && in_dispatch "$name" "$metrics" "$calls"; do
        if ((SECONDS > deadline)) || ! kill -0 "$victim" 2> /dev/null; then
            echo "rank 0 did not come to rest within a dispatch" >> "$work/$name.err"
            cat "$work/$name-"*.err >> "$work/$name.err"
            judge "$name" $(((SECONDS - deadline) * 1000 + CASE_SECONDS * 500)) 124 $PEER_FAILED "$pattern"
            end_all
            return
        fi
        kill -CONT "$victim"
        sleep 0.05
    done
    begin=$(now_ms)
    kill "-$signal" "$victim"
    for ((rank = 0; rank < GPUS; rank++)); do
        ((rank != 1)) || continue
        code=0
        wait "${pids[rank]}" || code=$?
        millis=$(($(now_ms) - begin))
        ((millis < seconds * 1000)) || code=124
        judge "$name-$rank" $millis "$code" $PEER_FAILED "$pattern"
    done
    # Its launcher then ends by itself.
    kill -KILL "$victim" 2> /dev/null
    wait "${pids[1]}"
    started=()
}

driver=libcuda.so.1
((${#emulate[@]} == 0)) || driver=$(ls "$root"/transport-nvlink-jni/target/emulator/*.so)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
# Some 12 GB of rings.
readonly LARGE=(--ranks-per-node "$GPUS" --hidden 7168 --channels 2 -Dtransload.placement=ring
    -Dtransload.scale-up.ring=100000)

# full NAME LEAVE_MIB PATTERN: a run while another process has all of device 0 but so much
full()
{
    local filler deadline=$((SECONDS + 20))
    rm -f "$work/hold"
    mkfifo "$work/hold"
    # It holds the memory until its standard input ends.
    python3 scripts/gpu/fill_device.py "$driver" 0 "$2" < "$work/hold" > "$work/left" 2> "$work/filler" &
    filler=$!
    started+=("$filler")
    exec 9> "$work/hold"
    until [[ -s $work/left ]] || ((SECONDS > deadline)) || ! kill -0 "$filler" 2> /dev/null; do sleep 0.1; done
    expect "$1" $UNAVAILABLE "$3" "${RUN[@]}" "${LARGE[@]}"
    cat "$work/filler"
    exec 9>&-
    wait "$filler"
    started=()
}

# MiB in use of each device
used()
{
    nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | head -n "$GPUS" | tr '\n' ' '
}

((${#emulate[@]})) || before=$(used)
usable before
readonly ENDLESS=("$CALL_SECONDS" 1000000 '\brank 1\b')
# The others do all calls, at first with it, then without it.
readonly DECODING=("$CASE_SECONDS" "$LOW_LATENCY_CALLS" 'went on without rank 1\b' --mode low-latency --dtype fp8)
survive KILL direct "${ENDLESS[@]}" -Dtransload.placement=direct
usable after-kill
survive KILL ring "${ENDLESS[@]}" -Dtransload.placement=ring
survive STOP direct "${ENDLESS[@]}" -Dtransload.placement=direct
survive KILL low-latency "${DECODING[@]}"
usable after-low-latency
survive STOP low-latency "${DECODING[@]}"
if ((STEP_ROUNDS > 0)); then
    # Time for emulated devices, whose kernels share the CPU with all else.
    step_options=(rounds="$STEP_ROUNDS")
    if ((${#emulate[@]})); then
        step_options+=(devices="$GPUS" timeout-ms=3000 library="$driver")
    else
        step_options+=(devices="$(nvidia-smi -L | head -n "$GPUS" | wc -l)")
    fi
    within $((60 + 10 * STEP_ROUNDS)) device-steps $DONE '"failed": 0' "$java" -XX:TieredStopAtLevel=1 \
        -XX:+UseSerialGC --add-exports java.base/jdk.internal.misc=ALL-UNNAMED \
        -Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener \
        -cp 'examples/target/classes:cli/target/lib/*' dev.transload.examples.decode.StepsFaults "${step_options[@]}"
    usable after-device-steps
fi
if ((${#emulate[@]})); then
    expect memory-short $UNAVAILABLE 'bytes were asked for on device [0-9]+ .*are free' "${RUN[@]}" "${LARGE[@]}"
    TRANSLOAD_CUDA_EMULATOR_FAULTS='cuDevicePrimaryCtxRetain:1=2' \
        expect device-full $UNAVAILABLE 'device [0-9]+ .*CUDA_ERROR_OUT_OF_MEMORY' "${RUN[@]}" "${LARGE[@]}"
else
    full memory-short 4096 'bytes were asked for on device 0 .*are free'
    # A process takes more than this before it has asked for any.
    full device-full 64 'device 0 .*(CUDA_ERROR_OUT_OF_MEMORY|are free)'
fi
expect wrong-device $UNAVAILABLE "there is no device 99: this process sees [0-9]+" \
    "${RUN[@]}" --ranks-per-node "$GPUS" -Dtransload.payload.device=99
only_device=()
((${#emulate[@]})) || (($(nvidia-smi -L | wc -l) > 1)) || only_device=(device=0)
expect stale-handle $DONE 'a transport: .*cannot open region-.*the region is closed, the rank is gone' \
    "$java" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED -cp \
    'cli/target/lib/*:transport-nvlink-jni/target/test-classes' \
    dev.transload.transport.nvlink.ScenarioMain stale "library=$driver" "${only_device[@]}"
expect two-ranks-one-device $DONE '"verified" : true' \
    "${RUN[@]}" --ranks-per-node 2 --hidden 1024 --iterations 20 -Dtransload.payload.device=0
usable after-all
((${#emulate[@]})) || expect memory-returned $DONE '^MiB in use' awk -v before="$before" -v after="$(used)" 'BEGIN {
    devices = split(before, was); split(after, is); print "MiB in use before:", before, "after:", after
    for (i = 1; i <= devices; i++) { if (is[i] > was[i] + 64) exit 1 }
}'

mkdir -p "$(dirname "$out")"
{
    printf '{"transport": "nvlink", "emulated": %s, "devices": %d, "failed": %d, "cases": [\n' \
        "$( ((${#emulate[@]})) && echo true || echo false)" "$GPUS" "$failed"
    for ((i = 0; i < ${#cases[@]}; i++)); do
        printf '  %s%s\n' "${cases[i]}" "$( ((i + 1 < ${#cases[@]})) && echo ,)"
    done
    echo ']}'
} > "$out"
exit "$failed"
