# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""NCCL's all_to_all_single of the rows of a dispatch: 4096 tokens a rank, hidden 7168, BF16, top-8 of 256 experts.

Usage: nccl_peer.py GPUS. Prints JSON: microseconds (min, median) of the slowest rank, bytes that leave a GPU.
"""
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

TOKENS, HIDDEN, EXPERTS, TOPK, WARM, CALLS = 4096, 7168, 256, 8, 20, 60


def main(rank, gpus, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), NCCL_NVLS_ENABLE="0")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=gpus)
    generator = torch.Generator().manual_seed(rank)
    chosen = torch.rand(TOKENS, EXPERTS, generator=generator).topk(TOPK).indices // (EXPERTS // gpus)
    counts = [int((chosen == peer).any(1).sum()) for peer in range(gpus)]
    all_counts = [None] * gpus
    dist.all_gather_object(all_counts, counts)
    arriving = [theirs[rank] for theirs in all_counts]
    source = torch.randn(sum(counts), HIDDEN, device="cuda", dtype=torch.bfloat16)
    target = torch.empty(sum(arriving), HIDDEN, device="cuda", dtype=torch.bfloat16)
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
        print(json.dumps({"peer": "NCCL all_to_all_single", "torch": torch.__version__, "gpus": gpus,
                          "rows": counts, "bytes_to_peers": sum(counts[1:]) * HIDDEN * 2,
                          "min_us": round(min(micros), 1), "median_us": round(statistics.median(micros), 1)}))
    dist.destroy_process_group()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    mp.spawn(main, args=(int(sys.argv[1]), 29517), nprocs=int(sys.argv[1]))
