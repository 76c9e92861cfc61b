#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# The Python package with tensors of PyTorch on the GPU: ranks are processes, which share it. Prints what is measured.
# Usage: scripts/gpu/python.sh [--emulate] RANKS [REPLAYS [PART...]]
# RANKS run what brute force checks in both modes, capture 61 low-latency pairs in a CUDA graph, replay it REPLAYS (1000)
# times, and measure what Python adds to a submission; a PART is one of python/tests/cuda_rank.py, which has them all.
# With --emulate the package's tests run on an emulated GPU, of two ranks. Needs NumPy and, without --emulate, PyTorch; a
# Java runtime in jre, by JAVA_HOME or on the PATH.
set -uo pipefail

emulate=
[[ ${1:-} != --emulate ]] || { emulate=yes; shift; }
(($# >= 1)) && [[ $1 =~ ^[0-9]+$ ]] || { grep -o 'Usage: .*' "$0" | head -n 1 >&2; exit 2; }
ranks=$1 replays=${2:-1000} parts=("${@:3}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
[[ ! -d jre ]] || export JAVA_HOME=$PWD/jre
built=$PWD/capi/target/transload
export TRANSLOAD_LIBRARY=$built/native/linux-amd64/libtransload.so TRANSLOAD_JARS=$built/jars
[[ $(uname -m) == x86_64 ]] || TRANSLOAD_LIBRARY=$built/native/linux-aarch64/libtransload.so
export PYTHONPATH=$PWD/python/src:$PWD/python/tests PYTHONDONTWRITEBYTECODE=1
if [[ -n $emulate ]]; then
    exec python3 -m unittest -v test_emulated
fi

logs=$(mktemp -d)
processes=()
status=1

# Also where a time limit ends this script.
finish()
{
    kill "${processes[@]}" 2> /dev/null
    grep -hE '^[a-z-]+: |ranks, PyTorch' "$logs/0"
    if ((status == 0)); then
        echo "$ranks ranks: all well"
    else
        for ((rank = 0; rank < ranks; rank++)); do
            tail -n 40 "$logs/$rank" | sed "s/^/rank $rank: /" >&2
        done
    fi
    rm -rf "$logs"
}

trap finish EXIT
trap 'exit 1' TERM
port=$(python3 -c 'import socket; probe = socket.socket(); probe.bind(("", 0)); print(probe.getsockname()[1])')
for ((rank = 0; rank < ranks; rank++)); do
    RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1 MASTER_PORT=$port OMP_NUM_THREADS=1 \
        PYTHONFAULTHANDLER=1 python3 python/tests/cuda_rank.py "$replays" "${parts[@]}" > "$logs/$rank" 2>&1 &
    processes+=($!)
done
for ((rank = 0; rank < ranks; rank++)); do
    wait -n || exit 1
done
for ((rank = 0; rank < ranks; rank++)); do
    grep -q "^rank $rank: well" "$logs/$rank" || exit 1
done
status=0
