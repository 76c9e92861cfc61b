# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""One rank of torchrun, over a gloo group: ranks of the nodes as the first argument says, e.g. 2,2."""

import sys

import torch
import torch.distributed

import scenarios
import transload
from world import SETTINGS, Batch, TorchTensors

nodes = [int(count) for count in sys.argv[1].split(",")]
settings = dict(SETTINGS, **dict(setting.split("=") for setting in sys.argv[2:]))
torch.set_num_threads(1)
torch.distributed.init_process_group("gloo")
group = torch.distributed.group.WORLD
buffer = transload.Buffer(group, num_nvl_bytes=4096, explicitly_destroy=True, fp8_as_uint8=True, settings=settings)
assert (buffer.rank, buffer.group_size) == (group.rank(), group.size())
scenarios.normal(buffer, TorchTensors(), nodes)
scenarios.low_latency(buffer, TorchTensors(), nodes)

words = buffer.get_local_buffer_tensor(torch.int32, torch.Size((2, 8)))
words.fill_(3)
assert buffer.get_local_buffer_tensor(torch.int32)[:16].tolist() == [3] * 16
if not hasattr(torch, "float8_e4m3fn"):
    other = transload.Buffer(group, fp8_as_uint8=False, settings=settings)
    scenarios.refused(NotImplementedError, "float8_e4m3fn", lambda: scenarios.layout(
        other, TorchTensors(), Batch(buffer.group_size), nodes))
del words
buffer.destroy()
torch.distributed.barrier()
print(f"rank {group.rank()}: well")
