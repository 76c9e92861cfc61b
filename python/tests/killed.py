# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Rank 1 of two is killed between calls; rank 0 prints what it is told."""

import os
import signal
import sys

import transload
from world import SETTINGS, Batch

rank, address = int(sys.argv[1]), sys.argv[2]
group = transload.Group(rank, 2, address, settings=SETTINGS)
buffer, batch = transload.Buffer(group), Batch(2)
x, idx, weights = transload.to_bfloat16(batch.rows[rank]), batch.idx[rank], batch.weights[rank]
per_rank, _, per_expert, in_rank, _ = buffer.get_dispatch_layout(idx, batch.experts)
try:
    for call in range(1000):
        buffer.dispatch(x, None, per_rank, None, in_rank, per_expert, idx, weights)
        if rank == 1 and call == 5:
            os.kill(os.getpid(), signal.SIGKILL)
except transload.TransloadError as failure:
    print(f"peer {failure.peer}: {failure}", flush=True)
