#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Proves the transport nvlink on this machine's GPUs and measures it: conformance, speed beside NCCL, bytes beside
# Aeron's, faults. Usage: scripts/gpu/check.sh [--emulate] GPUS OUT
# OUT gets a JSON (or text) file and a log for each step, speed.txt and summary.txt, and results.json, which has all that
# was found; the exit code is the number of steps that failed. Steps come by importance, each with a time limit, and all
# within BUDGET_SECONDS; one that has no time left counts as failed. CONFIG, the text of a configuration, is measured
# beside the default one. nvcc and Python with PyTorch are used where they are, and skipped loudly. With --emulate it
# runs without a GPU, on small inputs: that tries the script, and measures nothing.
set -uo pipefail

emulate=()
[[ ${1:-} != --emulate ]] || { emulate=(--emulate); shift; }
(($# == 2 && $1 >= 2)) || { grep -o 'Usage: .*' "$0" | head -n 1 >&2; exit 2; }
readonly GPUS=$1 WORLD=(--nodes 1 --ranks-per-node "$1")
mkdir -p "$2"
out=$(realpath "$2")
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

devices=$(seq -s , 0 $((GPUS - 1)))
tokens=(--tokens 4096 --experts 256 --topk 8)
# Calls of the warm-up don't count: what runs once a call is compiled by then.
warmups=${WARMUPS:-3000} iterations=${ITERATIONS:-2000} wide=7168 narrow=2048
# Of decoding: what a rank sends in one call of low latency.
decoded=(--tokens 128 --experts 256 --topk 8) decodings=${DECODINGS:-10000} stepped=64
decoding_warmups=$decodings
if ((${#emulate[@]})); then
    export TRANSLOAD_CUDA_EMULATOR_DEVICES=$GPUS
    tokens=(--tokens 64 --experts 64 --topk 4)
    warmups=${WARMUPS:-3} iterations=${ITERATIONS:-4} wide=512 narrow=256
    decoded=(--tokens 8 --experts 64 --topk 4) decodings=${DECODINGS:-20} stepped=4
    decoding_warmups=4
    driver=$(ls "$root"/transport-nvlink-jni/target/emulator/*.so)
fi
((${#emulate[@]})) ||
    step machine txt nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv
compiler=
if ((${#emulate[@]} == 0)) && command -v nvcc > /dev/null; then
    compile_kernels &
    compiler=$!
fi
step transports json ./transload transports --json
java=("${JAVA_HOME:+$JAVA_HOME/bin/}java" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED
    -cp 'cli/target/lib/*:transport-nvlink-jni/target/test-classes' dev.transload.transport.nvlink.ScenarioMain)
natives=transport-nvlink-jni/target/emulator/rules
step options txt "${java[@]}" options "library=${driver:-libcuda.so.1}"
kit=("${emulate[@]}" --devices "$devices" --json)
((${#emulate[@]})) || kit+=(--rounds 20000)
together "step conformance json ./transload conformance nvlink ${kit[*]}" \
    "step conformance-processes json ./transload conformance nvlink --processes ${kit[*]}"

# measure DTYPE PLACEMENT cached|whole|whole-device: times with default settings; compare_bytes does the rest.
# whole-device has top-k on the device. Ring placement is slow, and only shown beside: half of the warm-up, a third of
# the calls.
measured=()
measure()
{
    local name=speed-$1-$2-$3 how=() calls=(--warmup "$warmups" --iterations "$iterations")
    [[ $2 != ring ]] || calls=(--warmup $(((warmups + 1) / 2)) --iterations $(((iterations + 2) / 3)))
    case $3 in
        cached) how=(--cached) ;;
        whole-device) how=(--topk-on device) ;;
    esac
    run "$name" "${WORLD[@]}" "${tokens[@]}" --hidden $wide --dtype "$1" "${calls[@]}" "${how[@]}" \
        -Dtransload.placement="$2" --output "$tensors/$name" && measured+=("same $name $1")
}

# Whether what was measured delivered the bytes of Aeron.
compare_bytes()
{
    fours "${measured[@]}"
    measured=()
}

# decode NAME DTYPE: low latency
decode()
{
    run "$1" "${WORLD[@]}" --mode low-latency "${decoded[@]}" --hidden $wide --dtype "$2" \
        --warmup "$decoding_warmups" --iterations "$decodings"
}

for dtype in bf16 fp8; do
    reference $dtype "${WORLD[@]}" "${tokens[@]}" --hidden $wide --dtype $dtype
done
measure bf16 direct cached
measure fp8 direct cached
for dtype in bf16 fp8; do
    decode speed-ll-$dtype $dtype
done
steps "$GPUS" "$GPUS" $stepped
measure bf16 direct whole
measure bf16 direct whole-device
measure fp8 direct whole
measure fp8 direct whole-device
measure bf16 ring cached
measure fp8 ring cached
measure bf16 ring whole
compare_bytes
if [[ -n ${CONFIG:-} ]]; then
    printf '%s\n' "$CONFIG" > "$out/tuned.conf"
    run speed-bf16-direct-cached-tuned "${WORLD[@]}" "${tokens[@]}" --hidden $wide --warmup "$warmups" \
        --iterations "$iterations" --cached --config "$out/tuned.conf"
fi
if has_torch; then
    for dtype in bf16 fp8; do
        step nccl-$dtype json python3 scripts/gpu/nccl_peer.py "$GPUS" $dtype "$tensors/aeron-bf16"
    done
else
    say 'nccl                             SKIPPED: PyTorch or the GPUs are missing'
fi

step bench json ./transload bench nvlink "${emulate[@]}" --devices 0,1 --json
# Memory as frameworks map it, by the transport in Java.
step mapped txt bash -c '"$@" | tee /dev/stderr | grep "^delivered"' mapped \
    "${java[@]}" mapped "library=${driver:-libcuda.so.1}" "natives=$natives/libmapped_memory.so"
# All 100 rounds of device steps are for faults.sh alone.
export STEP_ROUNDS=${STEP_ROUNDS:-10}
STEP_SECONDS=260 step faults txt scripts/gpu/faults.sh "${emulate[@]}" "$GPUS" "$out/faults.json"
if [[ -n $compiler ]]; then
    wait "$compiler" || tail -n 12 "$out/kernels-compiled.log"
    step kernels txt "$tensors/kernels_test" $CUDA/main/resources/dev/transload/transport/nvlink/transload_kernels.ptx
else
    say 'kernels                          SKIPPED: nvcc or the GPUs are missing'
fi
others=()
for dtype in bf16 fp8; do
    for trace in $(ls traces/*.jsonl data/traces/*.jsonl 2> /dev/null | awk -F/ '!seen[$NF]++'); do
        others+=("run trace-$(basename "$trace" .jsonl)-$dtype ${WORLD[*]} --trace $trace --dtype $dtype
            --hidden $narrow")
    done
    others+=("run hidden-$narrow-$dtype ${WORLD[*]} ${tokens[*]} --hidden $narrow --dtype $dtype --iterations 3")
done
fours "${others[@]}"

# Two nodes on this machine: rows pass from node to node through page-locked host memory.
readonly TWO_NODES=(--nodes 2 --ranks-per-node $((GPUS < 4 ? 2 : GPUS / 2)))
reference two-nodes "${TWO_NODES[@]}" "${tokens[@]}" --hidden $narrow
for transport in aeron ucx; do
    if [[ $transport == ucx ]] && ! is_available ucx; then
        say 'two-nodes-ucx                    SKIPPED: libucp is missing'
        continue
    fi
    run two-nodes-$transport "${TWO_NODES[@]}" "${tokens[@]}" --hidden $narrow --scale-out $transport \
        --iterations 3 --output "$tensors/two-nodes-$transport" && same two-nodes-$transport two-nodes
done
if has_torch; then
    step pytorch txt python3 examples/pytorch/exchange.py --ranks "$GPUS" --tokens 4096 --hidden $wide --topk 8 \
        --experts 256
    say "$(< "$out/pytorch.txt")"
else
    say 'pytorch                          SKIPPED: PyTorch or the GPUs are missing'
fi
# What the emulator promises of the driver. Without a GPU the emulator is asked whose kernels are those of the cases.
rules=libcuda.so.1
((${#emulate[@]} == 0)) || rules=$natives/libcuda_rules.so
step rules txt "$natives/rules" "$rules"

# In no time, and of use whatever failed.
python3 scripts/gpu/speed_table.py "$out" "$GPUS" "$tensors/aeron-bf16" > "$out/speed.txt" 2> "$out/speed.log" ||
    { failed=$((failed + 1)); say "$(tail -n 1 "$out/speed.log")"; }
say "$(< "$out/speed.txt")"
finish "$out/results.json"
