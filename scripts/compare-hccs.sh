#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
#
# Dispatches and combines over emulated NPUs, and compares all that each rank got with what Aeron delivers, byte for
# byte. Without a trace, the one that is shipped. The emulator comes from "mvn test-compile"; a trace takes minutes.
#
#   scripts/compare-hccs.sh [TRACE.jsonl ...]
set -euo pipefail

root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

readonly COMMON=(--nodes 2 --hidden 128 --seed 11 --timeout 600s -Dtransload.kernels.mode=scalar)

# A ring of three slots, the least that a chunk of two rows and credit by two allow; more than 32 rings of tokens.
readonly LEAST_RINGS=(-Dtransload.channels=1 -Dtransload.placement=ring
    -Dtransload.scale-up.chunk=2 -Dtransload.scale-up.credit-batch=2 -Dtransload.scale-up.ring=3
    -Dtransload.scale-out.chunk=2 -Dtransload.scale-out.credit-batch=2 -Dtransload.scale-out.ring=3)

run()
{
    local output=$1
    shift
    TRANSLOAD_ACL_EMULATOR_DEVICES=8 "$root/transload" run "${COMMON[@]}" "$@" --output "$output" >"$work/log" 2>&1 || {
        cat "$work/log"
        return 1
    }
}

# compare LABEL LOCAL_RANKS DTYPE TRACE OPTIONS...: the reference of a world is delivered once.
compare()
{
    local label=$1 ranks=$2 dtype=$3 trace=$4 verdict=same file
    shift 4
    local reference=$work/$ranks-$dtype-$(basename "$trace") world=(--ranks-per-node "$ranks" --dtype "$dtype")
    [[ -z $trace ]] || world+=(--trace "$trace")
    local started=$SECONDS
    if [[ ! -d $reference ]]; then
        run "$reference" "${world[@]}" --in-process --scale-out aeron --scale-up aeron || { failed=1; return; }
    fi
    rm -rf "$work/output"
    if run "$work/output" "${world[@]}" --scale-up hccs --emulate "$@"; then
        for file in "$reference"/rank-*.safetensors; do
            cmp -s "$file" "$work/output/$(basename "$file")" || verdict="DIFFERS in $(basename "$file")"
        done
    else
        verdict=FAILED
    fi
    [[ $verdict == same ]] || failed=1
    printf '2 x %d %s %-40s %-30s %s (%d s)\n' "$ranks" "$dtype" "$(basename "${trace:-shipped trace}")" "$label" \
        "$verdict" "$((SECONDS - started))"
}

for trace in "${@:-}"; do
    for ranks in 4 8; do
        for dtype in bf16 fp8; do
            compare 'in one JVM, aeron' "$ranks" "$dtype" "$trace" --in-process --scale-out aeron
            compare 'least rings' "$ranks" "$dtype" "$trace" --in-process --scale-out aeron "${LEAST_RINGS[@]}"
            compare 'a JVM for each rank, ucx' "$ranks" "$dtype" "$trace" --scale-out ucx
        done
    done
done
exit "$failed"
