# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""
One rank of torchrun, over a gloo group, with tensors on a GPU that all ranks may share: what scenarios check, streams
and events, a CUDA graph of 61 low-latency pairs, and what Python adds to a submission. Arguments: replays of the graph,
and names of parts, all unless given.
"""

import ctypes
import statistics
import sys
import time
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np
import torch
import torch.distributed

import scenarios
import transload
from world import Batch, CudaTensors

LAYERS = 61
TOKENS, HIDDEN, TOPK = 16, 1024, 4
MEASURED = {"tokens": 128, "hidden": 7168, "topk": 8, "experts": 64}
WARMUP, WINDOWS, CALLS, AHEAD = 10_000, 60, 500, 50

torch.set_num_threads(1)
torch.distributed.init_process_group("gloo")
group = torch.distributed.group.WORLD
rank, ranks = group.rank(), group.size()
torch.cuda.set_device(rank % torch.cuda.device_count())


def say(line: str) -> None:
    if rank == 0:
        print(line, flush=True)


def streams(buffer: transload.Buffer) -> None:
    """Calls come behind the stream's work, and what comes behind their events sees their results."""
    tensors, batch = CudaTensors(), Batch(ranks)
    idx, weights = tensors.of(batch.idx[rank]), tensors.of(batch.weights[rank])
    per_rank, _, per_expert, in_rank, event = buffer.get_dispatch_layout(idx, batch.experts, async_finish=True)
    event.current_stream_wait()
    assert isinstance(buffer.get_comm_stream(), torch.cuda.Stream)
    source = tensors.bf16(batch.rows[rank])
    copies = tensors.of(batch.in_rank(rank).sum(axis=1)[:, None].astype(np.float32))
    side = torch.cuda.Stream()
    for number in range(1, 21):
        x = torch.zeros_like(source)
        # Long enough for a call that does not wait to see zeros.
        torch.cuda._sleep(2_000_000)
        x.copy_(source * (number % 4))
        event = buffer.capture()
        with torch.cuda.stream(side):
            rows, *_, handle, done = buffer.dispatch(
                x, None, per_rank, None, in_rank, per_expert, idx, weights, previous_event=event, async_finish=True,
                allocate_on_comm_stream=True)
            done.current_stream_wait()
            doubled = rows + rows
            sums, _, done = buffer.combine(doubled, handle, async_finish=True)
        done.current_stream_wait()
        expected = (source.float() * (number % 4) * 2 * copies).to(torch.bfloat16)
        assert torch.equal(sums, expected), number
    torch.cuda.synchronize()


def asynchronous_low_latency(buffer: transload.Buffer) -> None:
    tensors, batch = CudaTensors(), Batch(ranks)
    idx, weights = tensors.of(batch.idx[rank]), tensors.of(batch.weights[rank])
    source = tensors.bf16(batch.rows[rank])
    total = torch.where(idx < 0, torch.zeros_like(weights), weights).sum(dim=1, keepdim=True)
    for number in range(1, 21):
        x = torch.zeros_like(source)
        torch.cuda._sleep(2_000_000)
        x.copy_(source * (number % 4))
        rows, _, handle, event, _ = buffer.low_latency_dispatch(
            x, idx, 40, batch.experts, use_fp8=False, async_finish=True)
        event.current_stream_wait()
        sums, event, _ = buffer.low_latency_combine(rows, idx, weights, handle, async_finish=True)
        event.current_stream_wait()
        expected = (source.float() * (number % 4) * total).to(torch.bfloat16)
        assert torch.equal(sums, expected), number


def ue8m0(buffer: transload.Buffer) -> None:
    """Packed exponents of the scales, four to a word, and the same scales as numbers."""
    tensors, batch = CudaTensors(), Batch(ranks)
    x, idx = tensors.bf16(batch.rows[rank] * 3), tensors.of(batch.idx[rank])
    (rows, scales), count, *_ = buffer.low_latency_dispatch(x, idx, 40, batch.experts, round_scale=True)
    (packed_rows, packed), packed_count, *_ = buffer.low_latency_dispatch(
        x, idx, 40, batch.experts, round_scale=True, use_ue8m0=True)
    assert torch.equal(count, packed_count)
    for expert, come in enumerate(count.tolist()):
        assert torch.equal(rows[expert, :come].view(torch.uint8), packed_rows[expert, :come].view(torch.uint8))
        words = packed[expert, :come].clone(memory_format=torch.contiguous_format)
        exponents = words.view(torch.uint8)[:, :scales.shape[2]].to(torch.int32)
        assert torch.equal((exponents << 23).view(torch.float32), scales[expert, :come])


class Model:
    """
    Layers whose experts multiply rows by factors of their own, powers of two, which the weights take back: the sums of
    a layer are its tokens, with another sign. All is exact in BF16.
    """

    def __init__(self, buffer: transload.Buffer) -> None:
        self.buffer = buffer
        self.experts = 16 * ranks
        self.local = slice(16 * rank, 16 * (rank + 1))
        self.x = torch.zeros((TOKENS, HIDDEN), dtype=torch.bfloat16, device="cuda")
        self.ids = torch.zeros((LAYERS, TOKENS, TOPK), dtype=torch.int64, device="cuda")
        self.weights = torch.zeros((LAYERS, TOKENS, TOPK), device="cuda")
        self.expected = torch.zeros((LAYERS, TOKENS, HIDDEN), dtype=torch.bfloat16, device="cuda")
        self.wrong = torch.zeros((), dtype=torch.int64, device="cuda")
        self.factors = 2.0 ** (torch.arange(self.experts, device="cuda") % 5 - 2).float()
        self.parts = torch.tensor([0.5, 0.25, 0.125, 0.125], device="cuda")
        self.random = torch.Generator(device="cuda")
        self.random.manual_seed(rank)

    def change(self) -> None:
        """Other tokens, selections and weights."""
        self.x.copy_(torch.randint(-100, 101, self.x.shape, generator=self.random, device="cuda"))
        chosen = torch.rand((LAYERS, TOKENS, self.experts), generator=self.random, device="cuda").topk(TOPK).indices
        is_short = torch.rand((LAYERS, TOKENS), generator=self.random, device="cuda") < 0.3
        signs = torch.randint(0, 2, (LAYERS, TOKENS), generator=self.random, device="cuda") * 2.0 - 1
        parts = self.parts.repeat(LAYERS, TOKENS, 1)
        parts[:, :, 2] += torch.where(is_short, 0.125, 0.0)
        self.weights.copy_(parts * signs[:, :, None] / self.factors[chosen])
        chosen[:, :, 3] = torch.where(is_short, -1, chosen[:, :, 3])
        self.ids.copy_(chosen)
        self.expected.copy_(self.x.float() * signs.cumprod(dim=0)[:, :, None])

    def run(self) -> torch.Tensor:
        sums: List[torch.Tensor] = []
        for layer in range(LAYERS):
            rows, _, handle, _, hook = self.buffer.low_latency_dispatch(
                sums[-1] if sums else self.x, self.ids[layer], TOKENS, self.experts, use_fp8=False,
                return_recv_hook=True)
            hook()
            answers = self.buffer.get_next_low_latency_combine_buffer(handle)
            torch.mul(rows, self.factors[self.local, None, None].to(torch.bfloat16), out=answers)
            out, _, hook = self.buffer.low_latency_combine(
                answers, self.ids[layer], self.weights[layer], handle, zero_copy=True, return_recv_hook=True)
            hook()
            sums.append(out)
        return torch.stack(sums)

    def compare(self, sums: torch.Tensor) -> None:
        self.wrong += (sums != self.expected).sum()


def graph(buffer: transload.Buffer, replays: int) -> None:
    model = Model(buffer)
    early = torch.cuda.CUDAGraph()
    with torch.cuda.graph(early):
        scenarios.refused(RuntimeError, "cannot be captured into a CUDA graph", model.run)
        scenarios.refused(RuntimeError, "normal mode", lambda: buffer.dispatch(
            model.x, None, model.ids[0], None, model.ids[0], model.ids[0], model.ids[0], model.weights[0]))
        model.x.add_(1)
    model.change()
    model.compare(model.run())
    assert model.wrong.item() == 0, "before the capture"
    whole = torch.cuda.CUDAGraph()
    with torch.cuda.graph(whole):
        captured = model.run()
    begin = time.perf_counter()
    for _ in range(replays):
        model.change()
        whole.replay()
        model.compare(captured)
    wrong = model.wrong.item()
    assert wrong == 0, f"{wrong} elements"
    say(f"graph: {replays} replays of {LAYERS} pairs, other tokens, ids and weights each: {wrong} elements are wrong, "
        f"{(time.perf_counter() - begin) * 1e3 / replays:.2f} ms each with changes and checks")
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(100):
        whole.replay()
    torch.cuda.synchronize()
    say(f"graph: {(time.perf_counter() - begin) * 1e4 / LAYERS:.1f} us a pair of a replay, {TOKENS} tokens, "
        f"hidden {HIDDEN}")
    model.compare(model.run())
    assert model.wrong.item() == 0, "behind the replays"


def best_medians(calls: Sequence[Callable[[], None]], beside: Sequence[Callable[[], int]]) -> List[Tuple[float, float]]:
    """
    Of calls that take turns: microseconds of one, and what of them was not in what the other functions say. Of windows'
    medians the best is told, since the JVM and other ranks run meanwhile. Only the loop waits for the device.
    """
    medians: List[List[Tuple[float, float]]] = [[] for _ in calls]
    for window in range(WINDOWS):
        taken: List[List[Tuple[int, int]]] = [[] for _ in calls]
        for number in range(CALLS):
            for place, call in enumerate(calls):
                begin = time.perf_counter_ns()
                call()
                whole = time.perf_counter_ns() - begin
                taken[place].append((whole, whole - beside[place]()))
            if number % AHEAD == AHEAD - 1:
                torch.cuda.synchronize()
        for place, figures in enumerate(taken):
            medians[place].append(tuple(statistics.median(one) / 1e3 for one in zip(*figures)))
    return [tuple(min(one) for one in zip(*windows)) for windows in medians]


def submissions(buffer: transload.Buffer, use_fp8: bool) -> None:
    """What calls take in Python beside the engine in Java, and before and behind the function of the C library."""
    tokens, hidden, topk, experts = MEASURED.values()
    x = torch.randn((tokens, hidden), device="cuda").to(torch.bfloat16)
    idx = torch.rand((tokens, experts), device="cuda").topk(topk).indices
    weights = torch.rand((tokens, topk), device="cuda")
    out = torch.empty_like(x)
    state: Dict[str, Any] = {}

    def dispatch() -> None:
        state["sent"] = buffer.low_latency_dispatch(x, idx, tokens, experts, use_fp8=use_fp8, return_recv_hook=True)

    def combine() -> None:
        buffer.low_latency_combine(
            x, idx, weights, state["sent"][2], zero_copy=True, return_recv_hook=True, out=out)

    for number in range(WARMUP):
        dispatch()
        combine()
        if number % AHEAD == 0:
            torch.cuda.synchronize()
    engine, library, total = buffer.runtime.newest_low_latency(), buffer.runtime.library, ctypes.c_int64()
    in_library = [0]

    def engine_ns() -> int:
        before = total.value
        library.check(library.low_latency_engine_ns(engine.pointer, ctypes.byref(total)))
        return total.value - before

    def timed(function: Callable[..., int]) -> Callable[..., int]:
        def call(*arguments: Any) -> int:
            begin = time.perf_counter_ns()
            status = function(*arguments)
            in_library[0] = time.perf_counter_ns() - begin
            return status

        return call

    engine_ns()
    names = ("low_latency_dispatch", "low_latency_combine")
    beside_engine = best_medians((dispatch, combine), (engine_ns, engine_ns))
    functions = [getattr(library, name) for name in names]
    nothing = timed(lambda *_: 0)
    for name, function in zip(names, functions):
        setattr(library, name, timed(function))
    *in_python, of_clock = best_medians(
        (dispatch, combine, lambda: nothing(1, 2, 3)), [lambda: in_library[0]] * 3)
    for name, function in zip(names, functions):
        setattr(library, name, function)
    for name, (whole, beside), (_, python) in zip(names, beside_engine, in_python):
        say(f"submission: {name} {'FP8' if use_fp8 else 'BF16'}, {tokens} tokens, hidden {hidden}: {whole:.1f} us, "
            f"{beside:.1f} of them beside the engine, {python - of_clock[1]:.1f} of them in Python")


def normal_times(buffer: transload.Buffer) -> None:
    tokens, hidden, topk, experts = 4096, 7168, 8, 64
    x = torch.randn((tokens, hidden), device="cuda").to(torch.bfloat16)
    idx = torch.rand((tokens, experts), device="cuda").topk(topk).indices
    weights = torch.rand((tokens, topk), device="cuda")
    per_rank, _, per_expert, in_rank, _ = buffer.get_dispatch_layout(idx, experts)
    taken: Dict[str, List[Tuple[float, float]]] = {"dispatch": [], "combine": []}
    free = 0
    for number in range(300):
        for name in taken:
            torch.cuda.synchronize()
            begin = time.perf_counter_ns()
            if name == "dispatch":
                rows, _, out_weights, _, handle, _ = buffer.dispatch(
                    x, None, per_rank, None, in_rank, per_expert, idx, weights)
            else:
                buffer.combine(rows, handle, out_weights)
            torch.cuda.synchronize()
            whole = time.perf_counter_ns() - begin
            taken[name].append((whole / 1e3, (whole - buffer.last_engine_ns) / 1e3))
        if number == 100:
            free = torch.cuda.mem_get_info()[0]
    for name, figures in taken.items():
        say(f"normal: {name} BF16, {tokens} tokens, hidden {hidden}, top-{topk} on the device: "
            f"{statistics.median(whole for whole, _ in figures[150:]):.0f} us, "
            f"{statistics.median(beside for _, beside in figures[150:]):.0f} of them beside the engine")
    # Other ranks share the device, and PyTorch keeps what it has.
    assert torch.cuda.mem_get_info()[0] > free - (256 << 20), "memory grows"


say(f"{ranks} ranks, PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
buffer = transload.Buffer(group, num_nvl_bytes=4096, explicitly_destroy=True)
began = time.perf_counter()
PARTS = {
    "normal": lambda: scenarios.normal(buffer, CudaTensors(), [ranks]),
    "low-latency": lambda: scenarios.low_latency(buffer, CudaTensors(), [ranks]),
    "streams": lambda: streams(buffer),
    "async-low-latency": lambda: asynchronous_low_latency(buffer),
    "packed-scales": lambda: ue8m0(buffer),
    "graph": lambda: graph(buffer, int(sys.argv[1])),
    "submissions": lambda: [submissions(buffer, use_fp8) for use_fp8 in (False, True)],
    "times": lambda: normal_times(buffer)}
for name in sys.argv[2:] or PARTS:
    PARTS[name]()
    say(f"{name}: well, {time.perf_counter() - began:.1f} s")
words = buffer.get_local_buffer_tensor(torch.int32, torch.Size((2, 8)))
words.fill_(3)
assert buffer.get_local_buffer_tensor(torch.int32)[:16].tolist() == [3] * 16
del words
torch.distributed.barrier()
buffer.destroy()
torch.distributed.barrier()
print(f"rank {rank}: well", flush=True)
