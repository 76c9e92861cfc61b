#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# What one GPU can show of the transport ucx with memory of GPUs (docs/ucx.md): runs of 2 x 2 ranks that share the GPU by
# NVIDIA's MPS, straight from and to GPU memory, staged where the transport moves host memory only, and staged always,
# with the bytes of Aeron's; kernels that read rows right behind their signal; conformance in one process and in several.
# Usage: scripts/gpu/ucx.sh UCX OUT
# UCX is the folder of a UCX that was built with CUDA, with lib/libucp.so.0. One of 1.18 or newer needs a pack with jucx
# 1.18.1 (pack.sh --jucx). OUT gets summary.txt and results.json, and in steps/ a file and a log for each step; the exit
# code is the number of steps that failed. WAYS are the settings of UCX_TLS that are tried, one after the other; PARTS, of
# "bytes litmus conformance", what is done with each. Kernels read LITMUS_ROUNDS (1000000) rounds in LITMUS_SECONDS (200).
set -uo pipefail

(($# == 2)) && [[ -e $1/lib/libucp.so.0 ]] || { grep -o 'Usage: .*' "$0" | head -n 1 >&2; exit 2; }
emulate=()
ucx=$(realpath "$1")
mkdir -p "$2/steps"
results=$(realpath "$2") out=$(realpath "$2/steps")
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
export LD_LIBRARY_PATH=$ucx/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
read -ra ways <<< "${WAYS:-cuda_copy,cuda_ipc,posix tcp,cuda_copy}"
parts=" ${PARTS:-bytes litmus conformance} "
moved=(-Dtransload.ucx.device=on)
shape=(--nodes 2 --ranks-per-node 2 --tokens 1024 --experts 64 --topk 8 --hidden 2048 --iterations 3)

# delivers NAME DTYPE options...: a run over ucx between nodes, and whether it delivered the bytes of Aeron
delivers()
{
    local name=$1 dtype=$2
    shift 2
    run "$name-$dtype" "${shape[@]}" --dtype "$dtype" --scale-out ucx "$@" --output "$tensors/$name-$dtype" &&
        same "$name-$dtype" "$dtype"
}

step machine txt nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv
step transports json ./transload transports --json
[[ $parts != *' bytes '* ]] ||
    together "reference bf16 ${shape[*]} --dtype bf16" "reference fp8 ${shape[*]} --dtype fp8"
share_device
for UCX_TLS in "${ways[@]}"; do
    export UCX_TLS
    name=${UCX_TLS//,/-}
    step "way-$name" txt ./transload transports "${moved[@]}"
    grep -h ' CUDA  ' "$out/way-$name.txt" | grep UCX | tee -a "$out/summary.txt"
    for dtype in bf16 fp8; do
        [[ $parts == *' bytes '* ]] || break
        # Rows that pass host memory after all are refused.
        delivers "direct-$name" $dtype "${moved[@]}" -Dtransload.payload.staging=never
        delivers "staged-$name" $dtype
        delivers "always-$name" $dtype "${moved[@]}" -Dtransload.payload.staging=always
    done
    [[ $parts == *' litmus '* ]] || continue
    STEP_SECONDS=${LITMUS_SECONDS:-200} step "litmus-$name" json ./transload conformance ucx --devices 0 \
        --check data-then-kernel --rounds "${LITMUS_ROUNDS:-1000000}" --json
done
# Ranks that are killed may take other clients of MPS with them.
for UCX_TLS in "${ways[@]}"; do
    [[ $parts == *' conformance '* ]] || break
    name=${UCX_TLS//,/-}
    STEP_SECONDS=150 step "conformance-$name" json ./transload conformance ucx --devices 0 --json
    STEP_SECONDS=200 step "conformance-processes-$name" json ./transload conformance ucx --devices 0 --processes --json
done
ln -f "$out/summary.txt" "$results"
finish "$results/results.json"
