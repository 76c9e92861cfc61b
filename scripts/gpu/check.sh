#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# Proves the transport nvlink on this machine's GPUs and measures it: conformance, verified runs, speed, peers.
# Usage: scripts/gpu/check.sh GPUS OUT
# OUT gets one JSON (or text) file a step and summary.txt; the exit code is the number of steps that failed. A step has
# a time limit, so that nothing hangs. nvcc and Python with PyTorch are used where they are there, and skipped loudly.
set -uo pipefail

(($# == 2)) || { sed -n 's/^# \(Usage\)/\1/p' "$0" >&2; exit 2; }
readonly GPUS=$1 STEP_SECONDS=${STEP_SECONDS:-60}
mkdir -p "$2"
out=$(realpath "$2")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
[[ ! -d jre ]] || export JAVA_HOME=$root/jre
export CUDA_MODULE_LOADING=EAGER
devices=$(seq -s , 0 $((GPUS - 1)))
failed=0

# step NAME SUFFIX command...: its standard output becomes OUT/NAME.SUFFIX
step()
{
    local name=$1 file=$out/$1.$2 begin=$SECONDS status=0
    shift 2
    timeout -k 5 "$STEP_SECONDS" "$@" > "$file" 2> "$out/$name.log" || status=$?
    printf '%-28s %s, %d s\n' "$name" "$( ((status == 0)) && echo done || echo "FAILED ($status)")" \
        $((SECONDS - begin)) | tee -a "$out/summary.txt"
    ((status == 0)) || { failed=$((failed + 1)); tail -n 12 "$out/$name.log"; }
}

# run NAME options...: a verified run whose times are printed
run()
{
    local name=$1
    shift
    step "$name" json ./transload run --json --timeout 40s --nodes 1 --ranks-per-node "$GPUS" --scale-up nvlink "$@"
    python3 - "$out/$name.json" <<'PYTHON' 2> /dev/null | tee -a "$out/summary.txt"
import json, sys
run = json.load(open(sys.argv[1]))
for call in ("dispatch", "combine"):
    micros = run[call]["micros"]
    print("    %-9s min %8.1f  median %8.1f  p99 %8.1f us   verified %s" % (
        call, micros["min"], micros["median"], micros["p99"], run["verified"]))
PYTHON
}

kernels()
{
    local module=transport-nvlink-jni
    nvcc -O2 -arch=native -std=c++17 -fmad=false -Xcompiler -ffp-contract=off -diag-suppress 177 \
        -I $module/src/main/cuda -o "$out/kernels_test" $module/src/test/cuda/kernels_test.cu &&
        "$out/kernels_test" $module/src/main/resources/dev/transload/transport/nvlink/transload_kernels.ptx
    local status=$?
    rm -f "$out/kernels_test"
    return $status
}
export -f kernels

step machine txt nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv
step transports json ./transload transports --json
step conformance json ./transload conformance nvlink --devices "$devices" --json
step conformance-processes json ./transload conformance nvlink --processes --devices "$devices" --json
for trace in $(ls traces/*.jsonl data/traces/*.jsonl 2> /dev/null | awk -F/ '!seen[$NF]++'); do
    for dtype in bf16 fp8; do
        run "trace-$(basename "$trace" .jsonl)-$dtype" --trace "$trace" --dtype $dtype --hidden 2048
    done
done
# Chunks that keep a link busy, a thread for each of eight channels: see docs/nvlink.md.
readonly DEFAULT_CONFIG='transload.channels = 8
transload.threads.count = 8
transload.threads.idle = spin
transload.scale-out.chunk = 512
transload.scale-up.chunk = 512'
readonly LOAD=(--tokens 4096 --experts 256 --topk 8 --hidden 7168 --iterations "${ITERATIONS:-120}")
for dtype in bf16 fp8; do
    for placement in direct ring; do
        printf 'transload.placement = %s\n%s\n' "$placement" "${CONFIG:-$DEFAULT_CONFIG}" > "$out/$placement.conf"
        run "$dtype-$placement-cached" "${LOAD[@]}" --dtype $dtype --cached --config "$out/$placement.conf"
        run "$dtype-$placement-whole" "${LOAD[@]}" --dtype $dtype --config "$out/$placement.conf"
    done
done
run hidden-2048 --tokens 4096 --experts 256 --topk 8 --hidden 2048 --iterations 60
run thousand --tokens 1024 --experts 256 --topk 8 --hidden 2048 --iterations 1000 --cached
step bench json ./transload bench nvlink --json
if command -v nvcc > /dev/null; then
    step kernels txt bash -c kernels
else
    echo 'kernels                      SKIPPED: nvcc is missing' | tee -a "$out/summary.txt"
fi
if python3 -c 'import torch' 2> /dev/null; then
    step nccl json python3 scripts/gpu/nccl_peer.py "$GPUS"
    step pytorch txt python3 examples/pytorch/exchange.py --ranks "$GPUS" --tokens 4096 --hidden 7168 --topk 8 \
        --experts 256
    tee -a "$out/summary.txt" < "$out/pytorch.txt"
else
    echo 'nccl, pytorch                SKIPPED: PyTorch is missing' | tee -a "$out/summary.txt"
fi
printf '%d steps failed\n' "$failed" | tee -a "$out/summary.txt"
exit "$failed"
