#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# All that check.sh does, on 4 GPUs. Usage: scripts/gpu/check-4.sh [OUT]
exec "$(dirname "${BASH_SOURCE[0]}")/check.sh" 4 "${1:-results-4}"
