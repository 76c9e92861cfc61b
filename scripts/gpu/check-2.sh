#!/usr/bin/env bash
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
# All that check.sh does, on 2 GPUs. Usage: scripts/gpu/check-2.sh [OUT]
exec "$(dirname "${BASH_SOURCE[0]}")/check.sh" 2 "${1:-results-2}"
