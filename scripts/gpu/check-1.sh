#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# All that one GPU can show of the transport nvlink, whose ranks share it by NVIDIA's MPS: conformance, speed with one
# stage and with two, staged, low latency, bytes beside Aeron's, faults.
# Usage: scripts/gpu/check-1.sh [--emulate] [--unmeasured | --decode | --python | --beside FOLDER] OUT
# OUT gets speed.txt, summary.txt and results.json, and in steps/ a file and a log for each step; the exit code is the
# number of steps that failed. Steps come by importance, each with a time limit, and all within BUDGET_SECONDS.
# With --unmeasured it leaves out speed: for a second call, where a first one had no time left for the rest.
# With --decode it does what device steps can show besides speed: graphs, far ranks, and STEP_ROUNDS (100) faults; and
# what --python does alone: the Python package on tensors of PyTorch, 2 and 4 ranks (python.sh), PYTHON_REPLAYS (1000).
# With --beside only speed is measured, of this build and of the older one in FOLDER (as scripts/gpu/pack.sh --beside
# packs it) by turns. With --emulate it runs without a GPU, on small inputs: that tries the script, and measures nothing.
# PROTOTYPE may name a program to be measured beside device steps: see steps.sh.
set -uo pipefail

emulate=() older= unmeasured= decode= python=
while [[ ${1:-} == --* ]]; do
    case $1 in
        --emulate) emulate=(--emulate); shift ;;
        --unmeasured) unmeasured=yes; shift ;;
        --decode) decode=yes unmeasured=yes; shift ;;
        --python) python=yes unmeasured=yes; shift ;;
        --beside) older=$(realpath "${2:?}"); shift 2 ;;
        *) break ;;
    esac
done
(($# == 1)) && [[ $1 != --* && ( -z $older || -x $older/transload && -z $unmeasured ) ]] ||
    { grep -o 'Usage: .*' "$0" | head -n 1 >&2; exit 2; }
mkdir -p "$1/steps"
results=$(realpath "$1") out=$(realpath "$1/steps")
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
readonly RANKS=4 ONE_NODE=(--nodes 1 --ranks-per-node 4) TWO_NODES=(--nodes 2 --ranks-per-node 2)

tokens=(--tokens 4096 --experts 256 --topk 8)
# What runs once a call takes more than a thousand calls to be compiled.
warmups=${WARMUPS:-1500} iterations=${ITERATIONS:-1500} wide=7168 narrow=2048
decoded=(--tokens 128 --experts 256 --topk 8) decodings=${DECODINGS:-6000} stepped_2=64 stepped_4=32
if ((${#emulate[@]})); then
    export TRANSLOAD_CUDA_EMULATOR_DEVICES=1
    tokens=(--tokens 64 --experts 64 --topk 4)
    warmups=${WARMUPS:-2} iterations=${ITERATIONS:-3} wide=512 narrow=256
    decoded=(--tokens 8 --experts 64 --topk 4) decodings=${DECODINGS:-10} stepped_2=4 stepped_4=2
fi

# speed NAME options...: a measured run; its tensors are for compare_bytes
speed()
{
    local name=$1
    shift
    run "speed-$name" "${tokens[@]}" --hidden $wide --warmup "$warmups" "$@" --output "$tensors/speed-$name"
}

# decode NAME DTYPE: low latency. So many multiprocessors that the work of all ranks has room.
decode()
{
    run "speed-$1" "${ONE_NODE[@]}" --mode low-latency "${decoded[@]}" --hidden $wide --dtype "$2" \
        --warmup "$decodings" --iterations "$decodings" -Dtransload.nvlink.kernel-sms=32
}

# delivers NAME options...: a run that measures nothing, nvlink in all its stages, and whether it delivered the bytes of
# Aeron
delivers()
{
    local name=$1
    shift
    run "$name" "${tokens[@]}" --hidden $narrow --iterations 2 --scale-out nvlink "$@" --output "$tensors/$name" &&
        same "$name" "$name"
    rm -rf "$tensors/aeron-$name"
}

two_stages=("${TWO_NODES[@]}" --scale-out nvlink)
four=(-Dtransload.threads.count=4 -Dtransload.channels=4)
two=(-Dtransload.threads.count=2)

# What is measured, and whether its bytes are Aeron's
measured()
{
    local dtype
    # The default is two threads, since the ranks share the cores.
    speed two-stages-whole-4 "${two_stages[@]}" --iterations "$iterations" "${four[@]}"
    speed two-stages-whole "${two_stages[@]}" --iterations "$iterations"
    speed two-stages-cached-4 "${two_stages[@]}" --iterations "$iterations" "${four[@]}" --cached
    speed two-stages-cached "${two_stages[@]}" --iterations "$iterations" --cached
    STEP_SECONDS=100 speed staged-aeron "${TWO_NODES[@]}" --scale-out aeron --iterations $((iterations / 5 + 1))
    if is_available ucx; then
        STEP_SECONDS=100 speed staged-ucx "${TWO_NODES[@]}" --scale-out ucx --iterations $((iterations / 5 + 1))
    else
        say 'speed-staged-ucx                 SKIPPED: libucp is missing'
    fi
    steps 2 1 $stepped_2
    steps 4 1 $stepped_4
    # Goal: with signals at most 1.15 times as long as without.
    step chunks json ./transload bench nvlink "${emulate[@]}" --devices 0 --chunks --json
    speed one-stage-whole "${ONE_NODE[@]}" --iterations "$iterations"
    speed one-stage-cached "${ONE_NODE[@]}" --iterations "$iterations" --cached
    for dtype in bf16 fp8; do
        decode ll-$dtype $dtype
    done
    speed two-stages-fp8-whole "${two_stages[@]}" --iterations "$iterations" --dtype fp8
    speed one-stage-fp8-whole "${ONE_NODE[@]}" --iterations "$iterations" --dtype fp8
    fours "same speed-two-stages-whole-4 two-bf16" "same speed-two-stages-whole two-bf16" \
        "same speed-two-stages-cached-4 two-bf16" "same speed-two-stages-cached two-bf16" \
        "same speed-staged-aeron two-bf16" "same speed-one-stage-whole one-bf16" \
        "same speed-one-stage-cached one-bf16" "same speed-two-stages-fp8-whole two-fp8" \
        "same speed-one-stage-fp8-whole one-fp8"
    ! is_available ucx || same speed-staged-ucx two-bf16
    rm -rf "$tensors"/aeron-*
}

everything()
{
    local compiler= dtype layout delivery deliveries=() references=()
    local kit=(conformance nvlink "${emulate[@]}" --devices 0 --json)
    ((${#emulate[@]})) || kit+=(--rounds 20000)
    if ((${#emulate[@]} == 0)) && command -v nvcc > /dev/null; then
        compile_kernels &
        compiler=$!
    fi
    [[ -n $unmeasured ]] ||
        together "reference one-bf16 ${ONE_NODE[*]} ${tokens[*]} --hidden $wide" \
            "reference one-fp8 ${ONE_NODE[*]} ${tokens[*]} --hidden $wide --dtype fp8" \
            "reference two-bf16 ${TWO_NODES[*]} ${tokens[*]} --hidden $wide" \
            "reference two-fp8 ${TWO_NODES[*]} ${tokens[*]} --hidden $wide --dtype fp8"
    # Nothing else takes a core from what is measured.
    [[ -z $compiler ]] || wait "$compiler" || { compiler=; tail -n 12 "$out/kernels-compiled.log"; }
    share_device

    [[ -n $unmeasured ]] || measured

    # One after the other: clients of MPS take queues of the device, which more than four ranks exhaust, and ranks that
    # conformance kills may take other clients with them.
    step conformance json ./transload "${kit[@]}"
    step conformance-processes json ./transload "${kit[@]}" --processes
    for dtype in bf16 fp8; do
        for layout in rank-major expert-major; do
            deliveries+=("one-stage-$layout-$dtype ${ONE_NODE[*]} --dtype $dtype -Dtransload.dispatch.output=$layout")
            deliveries+=("two-stages-$layout-$dtype ${TWO_NODES[*]} --dtype $dtype
                -Dtransload.dispatch.output=$layout")
        done
    done
    for delivery in "${deliveries[@]}"; do
        references+=("reference $delivery ${tokens[*]} --hidden $narrow")
    done
    fours "${references[@]}"
    for delivery in "${deliveries[@]}"; do
        delivers $delivery
    done
    if [[ -n $compiler ]]; then
        step kernels txt "$tensors/kernels_test" $CUDA/main/resources/dev/transload/transport/nvlink/transload_kernels.ptx
    else
        say 'kernels                          SKIPPED: no kernels_test, nvcc or the GPU is missing'
    fi
    # Without MPS: a process that is killed amid a kernel takes its other clients with it. The ranks take turns on the
    # device, and do fewer calls.
    STEP_SECONDS=220 step faults txt env -u CUDA_MPS_PIPE_DIRECTORY -u CUDA_MPS_LOG_DIRECTORY \
        STEP_ROUNDS="${STEP_ROUNDS:-10}" \
        LOW_LATENCY_CALLS="${LOW_LATENCY_CALLS:-$( ((${#emulate[@]})) && echo 200 || echo 600)}" \
        scripts/gpu/faults.sh "${emulate[@]}" $RANKS "$out/faults.json"
}

# far NEAR TRANSPORT DTYPE [UCX_TLS]: rows that leave the device's memory for far ranks, beside those of Aeron's threads
far()
{
    local name=far-$1-$2-$3${4:+-${4%%,*}}
    local shape=(--mode low-latency "${TWO_NODES[@]}" "${decoded[@]}" --hidden $narrow --dtype "$3" --iterations 2)
    [[ -z ${4:-} ]] || export UCX_TLS=$4
    run "$name" "${shape[@]}" --scale-out "$2" -Dtransload.low-latency.near="$1" --output "$tensors/$name"
    unset UCX_TLS
    [[ -d $tensors/aeron-far-$3 ]] || reference "far-$3" "${shape[@]}"
    same "$name" "far-$3"
}

# Tensors of PyTorch, whose graphs and streams are the program's
in_python()
{
    local ranks
    if has_torch; then
        for ranks in 2 4; do
            STEP_SECONDS=100 step python-$ranks txt scripts/gpu/python.sh $ranks "${PYTHON_REPLAYS:-1000}"
            say "$(< "$out/python-$ranks.txt")"
        done
    else
        say 'python                           SKIPPED: PyTorch or the GPU is missing'
    fi
}

decoding()
{
    local faults=(rounds="${STEP_ROUNDS:-$( ((${#emulate[@]})) && echo 4 || echo 100)}" seconds=130 devices=1)
    local replays=1000 driver=
    if ((${#emulate[@]})); then
        driver=$EMULATOR replays=5
        faults+=(timeout-ms=3000 library="$driver")
    fi
    decode_example graphed txt GraphedDecode $replays $driver
    # Without MPS, as in faults.sh.
    STEP_SECONDS=160 decode_example device-steps txt StepsFaults "${faults[@]}"
    share_device
    far never aeron bf16
    far node aeron fp8
    if is_available ucx; then
        far never ucx bf16 posix,self
        far never ucx fp8 tcp,self
        far node ucx bf16 posix,self
    else
        say 'far-ucx                          SKIPPED: libucp is missing'
    fi
    in_python
}

# turn NAME-BUILD-ROUND FOLDER VARIABLE... -- options...: a measured run of a build
turn()
{
    local name=$1 folder=$2 variables=()
    shift 2
    while [[ $1 != -- ]]; do
        variables+=("$1")
        shift
    done
    step "speed-$name" json env "${variables[@]}" "$folder/transload" run --json --timeout 40s --scale-up nvlink \
        "${emulate[@]}" "${@:2}"
}

# beside NAME ROUND options...: the older build as it was used, and this one
beside()
{
    turn "$1-older-$2" "$older" -u CUDA_DEVICE_MAX_CONNECTIONS -- "${@:3}"
    turn "$1-newer-$2" "$root" -- "${@:3}"
}

# Two stages also by the older build with as many queues: what the streams of channels alone gain.
by_turns()
{
    local round stages=("${two_stages[@]}" "${tokens[@]}" --hidden $wide --warmup "$warmups" --iterations "$iterations")
    local one=("${ONE_NODE[@]}" "${tokens[@]}" --hidden $wide --warmup "$warmups" --iterations "$iterations")
    local low=("${ONE_NODE[@]}" --mode low-latency "${decoded[@]}" --hidden $wide --warmup "$decodings"
        --iterations "$decodings" -Dtransload.nvlink.kernel-sms=32)
    share_device
    for round in 1 2; do
        beside two-stages-whole-4 $round "${stages[@]}" "${four[@]}"
        turn two-stages-whole-4-queues-$round "$older" -- "${stages[@]}" "${four[@]}"
        beside two-stages-whole-2 $round "${stages[@]}" "${two[@]}"
        turn two-stages-whole-2-queues-$round "$older" -- "${stages[@]}" "${two[@]}"
        beside ll-bf16 $round "${low[@]}"
    done
    STEP_SECONDS=100 beside staged-aeron-4 1 "${TWO_NODES[@]}" --scale-out aeron "${tokens[@]}" --hidden $wide \
        --warmup "$warmups" --iterations $((iterations / 5 + 1)) "${four[@]}"
    beside one-stage-whole-4 1 "${one[@]}" "${four[@]}"
    beside one-stage-cached-4 1 "${one[@]}" "${four[@]}" --cached
}

((${#emulate[@]})) ||
    step machine txt nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv
step transports json ./transload transports --json
if [[ -n $older ]]; then
    by_turns
elif [[ -n $decode ]]; then
    decoding
elif [[ -n $python ]]; then
    share_device
    in_python
else
    everything
fi
if [[ -z $unmeasured ]]; then
    python3 scripts/gpu/one_gpu_table.py "$out" > "$results/speed.txt" 2> "$out/speed.log" ||
        { failed=$((failed + 1)); say "$(tail -n 1 "$out/speed.log")"; }
    say "$(< "$results/speed.txt")"
fi
ln -f "$out/summary.txt" "$results"
finish "$results/results.json"
