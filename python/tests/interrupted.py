# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Rank 0 waits for a rank that makes no call, and is interrupted; then it forks."""

import os
import sys
import threading

import transload
from world import SETTINGS, Batch

address = sys.argv[1]
batch = Batch(2)
is_open, may_end = threading.Barrier(2), threading.Event()


def open_rank(rank: int) -> transload.Buffer:
    buffer = transload.Buffer(transload.Group(rank, 2, address, settings=SETTINGS))
    buffer.runtime.engine(256, 3, batch.experts)
    is_open.wait()
    return buffer


def other() -> None:
    kept = open_rank(1)
    may_end.wait()
    del kept


threading.Thread(target=other, daemon=True).start()
own = open_rank(0)
layout = own.get_dispatch_layout(batch.idx[0], batch.experts)
try:
    print("waiting", flush=True)
    own.dispatch(transload.to_bfloat16(batch.rows[0]), None, layout[0], None, layout[3], layout[2], batch.idx[0])
except KeyboardInterrupt:
    print("interrupted", flush=True)
child = os.fork()
if child == 0:
    try:
        own.runtime.tensors()
        own.runtime.engine(8192, 3, batch.experts)
        os._exit(1)
    except transload.TransloadError as failure:
        os._exit(0 if failure.reason == "forked" else 2)
print(f"forked: {os.waitpid(child, 0)[1] == 0}", flush=True)
os._exit(0)
