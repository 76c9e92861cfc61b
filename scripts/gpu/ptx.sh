#!/bin/sh
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
#
# Writes the PTX texts of the CUDA kernels, which are checked in, or with --check compares them with the sources.
# Exit codes: 0 written, or the same; 1 one differs; 3 nvcc or ptxas is missing, or a text is of another nvcc release.
# The .version is the oldest that ptxas accepts, since an older driver refuses newer PTX.

set -eu

module="$(cd "$(dirname "$0")/../../transport-nvlink-jni" && pwd)"
sources="$module/src/main/cuda"
texts="$module/src/main/resources/dev/transload/transport/nvlink"
versions="7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0 9.1"

for tool in nvcc ptxas; do
    command -v "$tool" > /dev/null || { echo "ptx.sh: $tool is not on the PATH: install the CUDA toolkit" >&2; exit 3; }
done

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
release="$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"

# text NAME [--check]: of one module
text()
{
    text="$texts/$1.ptx"
    # No contraction: the sums have the bits of the host's.
    nvcc -ptx -arch=compute_80 -O3 -fmad=false -o "$work/all.ptx" "$sources/$1.cu"
    # Notes which bytes of a load are used, for tools; no driver needs them, and older ones do not know them.
    sed '/\.pragma "used_bytes_mask/d' "$work/all.ptx" > "$work/new.ptx"

    accepted=
    for version in $versions; do
        sed "s/^\.version .*/.version $version/" "$work/new.ptx" > "$work/try.ptx"
        if ptxas --gpu-name sm_80 -o "$work/cubin" "$work/try.ptx" > /dev/null 2>&1 &&
            ptxas --gpu-name sm_90 -o "$work/cubin" "$work/try.ptx" > /dev/null 2>&1; then
            accepted="$version"
            break
        fi
    done
    [ -n "$accepted" ] || { echo "ptx.sh: ptxas refuses the text of this nvcc in all known versions" >&2; exit 1; }

    {
        echo "// Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0"
        echo "// Made by scripts/gpu/ptx.sh from src/main/cuda, nvcc release $release: do not edit."
        sed -e '/^[[:space:]]*\/\//d' -e '/^$/d' "$work/try.ptx"
    } > "$work/text.ptx"

    if [ "${2:-}" = "--check" ]; then
        grep -q "nvcc release $release:" "$text" ||
            { echo "ptx.sh: the text is of another nvcc than release $release, which makes other text" >&2; exit 3; }
        cmp "$work/text.ptx" "$text" ||
            { echo "ptx.sh: $text is not what the sources give: run scripts/gpu/ptx.sh" >&2; exit 1; }
        echo "ptx.sh: $1: the text is that of the sources"
    else
        mkdir -p "$(dirname "$text")"
        cp "$work/text.ptx" "$text"
        echo "ptx.sh: $1: PTX $accepted, $(grep -c '\.entry' "$text") kernels"
        ptxas -v --gpu-name sm_90 -o "$work/cubin" "$text" 2>&1 | grep -E "Compiling|spill|Used"
    fi
}

text transload_kernels "$@"
text transload_steps "$@"
