# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""NCCL's all_to_all_single of the rows of a dispatch: to each rank those of the tokens that have an expert there.

Usage: nccl_peer.py GPUS bf16|fp8 FOLDER. FOLDER is the --output of a run of as many ranks; its files say which rows go
where. Prints JSON: microseconds (min, median) of the slowest rank, bytes that leave the first GPU.
"""
import json
import os
import socket
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from rank_files import layout, row_bytes

WARM, CALLS = 1500, 1500


def main(rank, gpus, dtype, folder, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), NCCL_NVLS_ENABLE="0")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=gpus)
    counts, hidden = layout(folder, rank)
    arriving = [layout(folder, peer)[0][rank] for peer in range(gpus)]
    width = row_bytes(hidden, dtype)
    source = torch.randint(0, 100, (sum(counts), width), device="cuda", dtype=torch.uint8)
    target = torch.empty(sum(arriving), width, device="cuda", dtype=torch.uint8)
    micros = []
    for call in range(WARM + CALLS):
        dist.barrier()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        dist.all_to_all_single(target, source, arriving, counts)
        torch.cuda.synchronize()
        taken = torch.tensor([time.perf_counter() - begin], device="cuda", dtype=torch.float64)
        dist.all_reduce(taken, dist.ReduceOp.MAX)
        if call >= WARM:
            micros.append(taken.item() * 1e6)
    if rank == 0:
        print(json.dumps({"peer": "NCCL all_to_all_single", "torch": torch.__version__, "gpus": gpus, "dtype": dtype,
                          "rows": counts, "row_bytes": width, "bytes_to_peers": sum(counts[1:]) * width,
                          "warmup": WARM, "calls": CALLS, "min_us": round(min(micros), 1),
                          "median_us": round(statistics.median(micros), 1),
                          "p99_us": round(sorted(micros)[CALLS * 99 // 100], 1)}))
    dist.destroy_process_group()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[2] not in ("bf16", "fp8"):
        sys.exit(__doc__)
    mp.spawn(main, args=(int(sys.argv[1]), sys.argv[2], sys.argv[3], free_port()), nprocs=int(sys.argv[1]))
