# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# What check.sh and check-1.sh share: steps with a time limit each, whose results and logs are files of a folder. Whoever
# reads this file with "." sets before: emulate (options), out (a folder that exists). BUDGET_SECONDS is the time for all
# steps, STEP_SECONDS for one.

BUDGET_SECONDS=${BUDGET_SECONDS:-580}
STEP_SECONDS=${STEP_SECONDS:-75}
readonly CUDA=transport-nvlink-jni/src
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly EMULATOR=$root/transport-nvlink-jni/target/emulator/libcuda_emulator.so
cd "$root" || exit 2
[[ ! -d jre ]] || export JAVA_HOME=$root/jre
export CUDA_MODULE_LOADING=EAGER PYTHONDONTWRITEBYTECODE=1
tensors=$(mktemp -d)
trap 'rm -rf "$tensors"' EXIT
failed=0
: > "$out/summary.txt"

say()
{
    printf '%s\n' "$*" | tee -a "$out/summary.txt"
}

# step NAME SUFFIX command...: its standard output becomes OUT/NAME.SUFFIX
step()
{
    local name=$1 file=$out/$1.$2 begin=$SECONDS status=0 limit=$STEP_SECONDS
    shift 2
    ((limit <= BUDGET_SECONDS - begin)) || limit=$((BUDGET_SECONDS - begin))
    if ((limit < 5)); then
        failed=$((failed + 1))
        say "$(printf '%-32s FAILED: no time is left' "$name")"
        return 1
    fi
    timeout -k 5 "$limit" "$@" > "$file" 2> "$out/$name.log" || status=$?
    say "$(printf '%-32s %s, %d s' "$name" "$( ((status == 0)) && echo done || echo "FAILED ($status)")" \
        $((SECONDS - begin)))"
    ((status == 0)) || { failed=$((failed + 1)); tail -n 12 "$out/$name.log"; }
    return "$status"
}

# Without MPS the ranks take turns on the device, by milliseconds.
share_device()
{
    local control
    ((${#emulate[@]} == 0)) || return 0
    control=$(PATH=$PATH:/usr/local/nvidia/bin type -P nvidia-cuda-mps-control) ||
        { say 'mps                              SKIPPED: no nvidia-cuda-mps-control, times mean little'; return 0; }
    # A client of MPS has few queues unless it asks for more, and work of different streams shares them.
    export CUDA_MPS_PIPE_DIRECTORY=$tensors/mps CUDA_MPS_LOG_DIRECTORY=$tensors/mps-log CUDA_DEVICE_MAX_CONNECTIONS=16
    mkdir -p "$CUDA_MPS_PIPE_DIRECTORY" "$CUDA_MPS_LOG_DIRECTORY"
    trap 'echo quit | timeout 10 "'"$control"'" > /dev/null 2>&1; rm -rf "$tensors"' EXIT
    step mps txt "$control" -d
}

# together COMMAND...: steps that measure nothing, at once; each command is one word or more, without quotes
together()
{
    local command others=()
    for command in "$@"; do
        $command &
        others+=($!)
    done
    for command in "${others[@]}"; do
        wait "$command" || failed=$((failed + 1))
    done
}

# fours COMMAND...: the same, four at a time
fours()
{
    while (($# > 0)); do
        together "${@:1:4}"
        shift $(($# < 4 ? $# : 4))
    done
}

# run NAME options...: a verified run
run()
{
    local name=$1
    shift
    step "$name" json ./transload run --json --timeout 40s --scale-up nvlink "${emulate[@]}" "$@"
}

# reference NAME options...: the same over Aeron, on CPUs, for its bytes
reference()
{
    local name=$1
    shift
    step "aeron-$name" json ./transload run --json --timeout 60s --scale-out aeron --scale-up aeron "$@" \
        --output "$tensors/aeron-$name"
}

# same NAME REFERENCE: whether each rank of a run got the bytes of the reference
same()
{
    local status=0
    step "bytes-$1" txt python3 scripts/gpu/rank_files.py "$tensors/$1" "$tensors/aeron-$2" || status=$?
    rm -rf "${tensors:?}/$1"
    return "$status"
}

# Beside the steps that measure nothing: it takes as long as the test itself.
compile_kernels()
{
    nvcc -O2 -arch=native -std=c++17 -fmad=false -Xcompiler -ffp-contract=off -diag-suppress 177 -I $CUDA/main/cuda \
        -o "$tensors/kernels_test" $CUDA/test/cuda/kernels_test.cu &> "$out/kernels-compiled.log"
}

# Whether PyTorch can use a GPU here.
has_torch()
{
    ((${#emulate[@]} == 0)) && python3 -c 'import torch' 2> /dev/null
}

# Whether a transport of transports.json can be used here.
is_available()
{
    grep -A 3 "\"name\" : \"$1\"" "$out/transports.json" | grep -q '"available" : true'
}

# decode_example NAME SUFFIX CLASS argument...
decode_example()
{
    step "$1" "$2" "${JAVA_HOME:+$JAVA_HOME/bin/}java" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED \
        -Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener \
        -cp 'examples/target/classes:cli/target/lib/*' "dev.transload.examples.decode.$3" "${@:4}"
}

# steps RANKS DEVICES BLOCKS: dispatches and combines that devices do by themselves, by the clocks of device and host, and
# in a graph; checked against brute force. The caller sets decoded and wide. PROTOTYPE names a program to be measured
# beside them, which takes RANKS BLOCKS FP8 MODE CALLS DEVICES: rows placed at once (mode 3), and through slots (mode 0).
steps()
{
    local fp8 calls=${STEPPED:-$( ((${#emulate[@]})) && echo 10 || echo 1500)}
    local options=(ranks="$1" devices="$2" blocks="$3" calls="$calls" tokens="${decoded[1]}" experts="${decoded[3]}"
        topk="${decoded[5]}" hidden="$wide")
    ((${#emulate[@]} == 0)) || options+=(library="$EMULATOR")
    decode_example "steps-$1" json StepsBench "${options[@]}"
    [[ -n ${PROTOTYPE:-} ]] || return 0
    for fp8 in 0 1; do
        step "prototype-$1-$fp8" txt "$PROTOTYPE" "$1" "$3" $fp8 3 "$calls" "$2"
        step "prototype-slots-$1-$fp8" txt "$PROTOTYPE" "$1" "$3" $fp8 0 "$calls" "$2"
    done
}

# finish FILE: the end. Says how many steps failed, and gathers what was found in a file.
finish()
{
    say "$failed steps failed, $SECONDS s"
    python3 scripts/gpu/results.py "$out" "$1" || failed=$((failed + 1))
    exit "$failed"
}
