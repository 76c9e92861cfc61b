#!/usr/bin/env python3
# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch that ranks of a JVM dispatch and combine in place, over CUDA IPC handles.

This process makes tokens and their choice of experts, and the JVM (dev.transload.examples.SharedTensors) moves the
rows: each GPU is a rank. Between the two calls this process is the experts: it multiplies the rows that came to rank r
by 2^(r + 1). Then it compares all bits with a reference of its own. Exit code 0: equal; 1: not; 3: no GPU, no Java.
"""
import argparse
import ctypes
import os
import pathlib
import select
import shutil
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
EMULATOR = ROOT / "transport-nvlink-jni/target/emulator/libcuda_emulator.so"
UNAVAILABLE = 3
DEADLINE_S = 120


def give_up(sentence):
    print(f"exchange.py: {sentence}", file=sys.stderr)
    sys.exit(UNAVAILABLE)


def bf16(values):
    """Bits of the nearest BF16, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def f32(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


class Driver:
    """The CUDA driver, beside PyTorch: it works in the same (primary) context of each GPU."""

    def __init__(self, library):
        self.library = library
        self.cuda = ctypes.CDLL(library)
        self.call("cuInit", 0)
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        self.devices = count.value

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def use(self, device):
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def handle(self, device, pointer):
        """The IPC handle of the allocation that a tensor lies in, and where it begins there."""
        base, length, handle = ctypes.c_uint64(), ctypes.c_size_t(), (ctypes.c_ubyte * 64)()
        self.use(device)
        self.call("cuMemGetAddressRange_v2", ctypes.byref(base), ctypes.byref(length), ctypes.c_uint64(pointer))
        try:
            self.call("cuIpcGetMemHandle", handle, base)
        except RuntimeError as error:
            give_up(f"the tensor at {pointer:#x} has no IPC handle ({error}): without expandable_segments in "
                    "PYTORCH_CUDA_ALLOC_CONF PyTorch takes its memory from cudaMalloc, which has them")
        return bytes(handle).hex(), pointer - base.value


class TorchRows:
    """BF16 rows that PyTorch owns."""

    def __init__(self, driver, device, rows, hidden):
        import torch
        self.torch = torch
        self.tensor = torch.zeros(rows, hidden, dtype=torch.bfloat16, device=f"cuda:{device}")
        self.handle = driver.handle(device, self.tensor.data_ptr())

    def put(self, bits):
        self.tensor.copy_(self.torch.from_numpy(bits.view(np.int16)).view(self.torch.bfloat16))

    def bits(self):
        return self.tensor.view(self.torch.int16).cpu().numpy().view(np.uint16)

    def scale(self, rows, factor):
        self.tensor[:rows] *= factor

    def finish(self):
        # The JVM's GPU work starts only when ours is done; CUDA events would spare the CPU this wait.
        self.torch.cuda.synchronize(self.tensor.device)


class EmulatedRows:
    """The same without PyTorch and without a GPU, for the emulator of Transload's tests."""

    def __init__(self, driver, device, rows, hidden):
        self.driver, self.device, self.shape = driver, device, (rows, hidden)
        pointer = ctypes.c_uint64()
        driver.use(device)
        # Not at the start of the allocation, as a tensor of an allocator that caches.
        driver.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(1024 + 2 * rows * hidden))
        self.pointer = ctypes.c_uint64(pointer.value + 1024)
        self.handle = driver.handle(device, self.pointer.value)

    def put(self, bits):
        self.driver.use(self.device)
        bits = np.ascontiguousarray(bits)
        self.driver.call("cuMemcpyHtoD_v2", self.pointer, bits.ctypes.data_as(ctypes.c_void_p),
                         ctypes.c_size_t(bits.nbytes))

    def bits(self):
        self.driver.use(self.device)
        bits = np.empty(self.shape, np.uint16)
        self.driver.call("cuMemcpyDtoH_v2", bits.ctypes.data_as(ctypes.c_void_p), self.pointer,
                         ctypes.c_size_t(bits.nbytes))
        return bits

    def scale(self, rows, factor):
        bits = self.bits()
        bits[:rows] = bf16(f32(bits[:rows]) * np.float32(factor))
        self.put(bits)

    def finish(self):
        self.driver.use(self.device)
        self.driver.call("cuCtxSynchronize")


class Transload:
    """The JVM, which is told by lines and answers by lines; what it logs goes to our standard error."""

    def __init__(self):
        classes = ROOT / "examples/target/classes"
        if not classes.is_dir():
            give_up(f"there is no {classes}: build it, mvn -q -DskipTests -pl examples -am package")
        # A pack for GPU machines has the libraries once, those of the command line.
        libraries = [ROOT / folder / "target/lib" for folder in ("examples", "cli")]
        library = next((folder for folder in libraries if folder.is_dir()), None)
        if not library:
            give_up(f"there is no {libraries[0]}: build it, mvn -q -DskipTests -pl examples -am package")
        home = ROOT / "jre" if (ROOT / "jre").is_dir() else pathlib.Path(os.environ.get("JAVA_HOME", "/"))
        java = shutil.which("java", path=f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}")
        if not java:
            give_up("there is no java on the PATH: set JAVA_HOME")
        self.process = subprocess.Popen(
            # What Logback says of its own configuration would come between the answers.
            [java, "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED",
             "-Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener", "-cp",
             f"{classes}{os.pathsep}{library}/*", "dev.transload.examples.SharedTensors"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, *words):
        try:
            print(*words, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            self.end()
            give_up("the JVM has ended: its log is above")

    def ask(self, question, answer):
        self.tell(question)
        answered, _, _ = select.select([self.process.stdout], [], [], DEADLINE_S)
        line = self.process.stdout.readline() if answered else f"nothing within {DEADLINE_S} s"
        words = line.split() or [""]
        if words[0] != answer:
            self.end()
            give_up(f"the JVM answered '{line.strip()}' to {question}: its log is above")
        return [int(word) for word in words[1:]]

    def end(self):
        try:
            self.process.stdin.close()
            return self.process.wait(DEADLINE_S)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            return self.process.wait()


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("ranks", 2), ("tokens", 1024), ("hidden", 2048), ("topk", 2), ("experts", 64)):
        options.add_argument(f"--{name}", type=int, default=default)
    options.add_argument("--emulate", action="store_true", help="no GPU, no PyTorch: the emulator of the tests")
    args = options.parse_args()
    ranks, tokens, hidden = args.ranks, args.tokens, args.hidden
    if args.experts % ranks or not 0 < args.topk <= args.experts:
        options.error("--experts must be a multiple of --ranks, and --topk in [1, experts]")
    if args.emulate:
        if not EMULATOR.exists():
            give_up(f"there is no {EMULATOR}: build it, mvn -q -DskipTests -pl transport-nvlink-jni -am test-compile")
        driver, rows_of = Driver(str(EMULATOR)), EmulatedRows
    else:
        try:
            import torch
        except ImportError:
            give_up("PyTorch is not installed: pip install torch, or --emulate")
        if not torch.cuda.is_available():
            give_up("PyTorch sees no GPU here: look at nvidia-smi, or --emulate")
        driver, rows_of = Driver("libcuda.so.1"), TorchRows

    jvm = Transload()
    jvm.tell("world", ranks, tokens, hidden, args.topk, args.experts, driver.library)
    x, chosen, tensors = [], [], []
    for rank in range(ranks):
        random = np.random.default_rng(rank)
        x.append(bf16(random.standard_normal((tokens, hidden), np.float32)))
        topk = random.random((tokens, args.experts)).argsort(1)[:, :args.topk]
        # [tokens, ranks]: whether one of the token's experts is there.
        owners = topk // (args.experts // ranks)
        chosen.append(np.stack([(owners == peer).any(1) for peer in range(ranks)], 1))
        device = rank % driver.devices
        tensors.append({name: rows_of(driver, device, rows, hidden) for name, rows in
                        (("x", tokens), ("received", ranks * tokens), ("combined", tokens))})
        tensors[rank]["x"].put(x[rank])
        jvm.tell("topk", rank, *topk.flatten())
        for name, rows in tensors[rank].items():
            rows.finish()
            jvm.tell("tensor", rank, name, *rows.handle)

    counts = jvm.ask("dispatch", "rows")
    wrong = []
    for rank in range(ranks):
        received = tensors[rank]["received"]
        expected = np.concatenate([x[source][chosen[source][:, rank]] for source in range(ranks)])
        if counts[rank] != len(expected) or not np.array_equal(received.bits()[:counts[rank]], expected):
            wrong.append(f"what rank {rank} received")
        received.scale(counts[rank], 2.0 ** (rank + 1))
        received.finish()

    jvm.ask("combine", "combined")
    for rank in range(ranks):
        total = np.zeros((tokens, hidden), np.float32)
        for peer in range(ranks):
            answer = f32(x[rank]) * np.float32(2.0 ** (peer + 1))
            total += np.where(chosen[rank][:, peer, None], answer, np.float32(0))
        if not np.array_equal(tensors[rank]["combined"].bits(), bf16(total)):
            wrong.append(f"what rank {rank} combined")

    if jvm.end():
        wrong.append("the end of the JVM")
    where = "emulated GPUs (host twin)" if args.emulate else f"{min(ranks, driver.devices)} GPUs, tensors of PyTorch"
    verdict = f"differs from the reference: {', '.join(wrong)}" if wrong else \
        f"{sum(counts)} rows dispatched and combined, equal to the reference bit for bit"
    print(f"{ranks} ranks on {where}, {tokens} tokens a rank, hidden {hidden}, top-{args.topk} of {args.experts}: "
          f"{verdict}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
