#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
#
# Makes the pictures of docs/report.md: a run and a bench on this machine, opened in a headless Chromium.
# Best where nothing else runs. With two arguments, of a run's and a bench's report that are there already.
set -euo pipefail

cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if (($# == 2)); then
    cp "$1" "$folder/run.html"
    cp "$2" "$folder/bench.html"
else
    ./transload run --iterations 60 --report "$folder/run.html"
    ./transload bench aeron --report "$folder/bench.html"
fi

# picture PAGE WIDTH HEIGHT SCHEME NAME; of schemes, 0 is dark and 1 is light.
picture()
{
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$folder/profile" \
        --window-size="$2,$3" --blink-settings="preferredColorScheme=$4" --screenshot="docs/images/$5.png" \
        "file://$folder/$1.html" 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
}

picture run 800 3640 1 report-run-light
picture bench 920 2540 0 report-bench-dark
if command -v pngquant >/dev/null; then
    pngquant --force --ext .png 256 docs/images/report-*.png
fi
