# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Worlds of ranks: Transload's own, and those that torch.distributed or MPI have formed."""

import atexit
import ctypes
import os
import pickle
import socket
import sys
import threading
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional

from . import _library
from ._arrays import parse_places

_TIMEOUT_MS = 300_000

_open: Dict[int, "World"] = {}


class World:
    """A world of the C library, with a number that names what its ranks exchange."""

    def __init__(
            self, rank: int, ranks: int, ranks_of_nodes: Optional[List[int]], address: Optional[str],
            settings: Mapping[str, Any]) -> None:
        self._library = _library.start()
        options = _library.WorldOptions(
            rank=rank, ranks=ranks,
            ranks_of_nodes=",".join(map(str, ranks_of_nodes)).encode() if ranks_of_nodes else None,
            address=address.encode() if address else None,
            settings=lines(settings))
        pointer = ctypes.c_void_p()
        self._library.check(self._library.world_open(ctypes.byref(options), ctypes.byref(pointer)))
        self.pointer: Optional[int] = pointer.value
        place = (ctypes.c_int32 * 3)()
        at = ctypes.addressof(place)
        self._library.check(self._library.world_place(self.pointer, at, at + 4, at + 8))
        self.rank, self.size, self.nodes = place
        self.ranks_of_nodes = ranks_of_nodes or [self.size]
        self._exchanges = 0
        self._lock = threading.Lock()
        _open[id(self)] = self

    def all_gather(self, mine: bytes) -> List[bytes]:
        """Bytes of all ranks, by rank. All ranks call it equally often."""
        with self._lock:
            topic = f"exchange.{self._exchanges}".encode()
            self._exchanges += 1
        gathered = ctypes.c_void_p()
        lengths = (ctypes.c_int64 * self.size)()
        self._library.check(self._library.world_all_gather(
            self.pointer, topic, mine, len(mine), _TIMEOUT_MS, ctypes.byref(gathered), lengths))
        try:
            whole = ctypes.string_at(gathered.value or 0, sum(lengths))
        finally:
            self._library.free(gathered)
        parts, at = [], 0
        for length in lengths:
            parts.append(whole[at:at + length])
            at += length
        return parts

    def close(self) -> None:
        _open.pop(id(self), None)
        pointer, self.pointer = self.pointer, None
        if pointer is not None:
            self._library.check(self._library.world_close(pointer))


@atexit.register
def _close_all() -> None:
    """Behind the engines, which a module that is imported later closes."""
    for world in list(_open.values()):
        try:
            world.close()
        except _library.TransloadError:
            pass


def lines(settings: Mapping[str, Any]) -> Optional[bytes]:
    """Settings as the C library reads them. Keys may leave out ``transload.``."""
    if not settings:
        return None
    return "\n".join(
        f"{key if key.startswith('transload.') else 'transload.' + key} = {value}"
        for key, value in settings.items()).encode()


class Group:
    """
    A world without torch.distributed. Every rank makes one, with the address of rank 0, where the ranks meet. It has
    what Buffer needs of a process group, and is closed after the Buffers over it.
    """

    def __init__(
            self, rank: int, size: int, address: Optional[str] = None, ranks_per_node: Optional[List[int]] = None,
            settings: Optional[Mapping[str, Any]] = None) -> None:
        """
        :param rank: own rank, in [0, size).
        :param size: number of ranks.
        :param address: host:port of rank 0. Not needed by a world of one rank.
        :param ranks_per_node: ranks of each node, in order; one node, unless given.
        :param settings: keys of Transload, e.g. {"scale-up.transport": "aeron"}, over TRANSLOAD_ variables.
        """
        if rank < 0 or rank >= size:
            raise ValueError(f"rank = {rank} is not allowed: must be in [0, {size})")
        self.world = World(rank, size, list(ranks_per_node) if ranks_per_node else None, address, settings or {})

    def rank(self) -> int:
        return self.world.rank

    def size(self) -> int:
        return self.world.size

    def all_gather_object(self, mine: Any) -> List[Any]:
        """Objects of all ranks, by rank; pickled, so all ranks must trust each other."""
        return [pickle.loads(part) for part in self.world.all_gather(pickle.dumps(mine))]

    def barrier(self) -> None:
        """Wait until all ranks have called it."""
        self.world.all_gather(b"")

    def close(self) -> None:
        self.world.close()

    def __enter__(self) -> "Group":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class TorchGroup:
    """A process group of torch.distributed."""

    def __init__(self, group: Any) -> None:
        self._group = group
        self.rank: int = group.rank()
        self.size: int = group.size()

    def all_gather_object(self, mine: Any) -> List[Any]:
        import torch.distributed

        gathered: List[Any] = [None] * self.size
        torch.distributed.all_gather_object(gathered, mine, self._group)
        return gathered


class MpiGroup:
    """A communicator of mpi4py."""

    def __init__(self, comm: Any) -> None:
        self._comm = comm
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()

    def all_gather_object(self, mine: Any) -> List[Any]:
        return list(self._comm.allgather(mine))


def _host() -> str:
    """The same for all processes of one host, also in containers that share its name."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return socket.gethostname() + " " + (boot.read_text().strip() if boot.exists() else "")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("", 0))
        port: int = probe.getsockname()[1]
        return port


def _nodes(hosts: List[str]) -> List[int]:
    said = os.environ.get("TRANSLOAD_RANKS_PER_NODE", "")
    if not said:
        return parse_places(hosts)
    counts = [int(part) for part in said.strip("[] ").split(",")]
    if len(counts) == 1 and len(hosts) % counts[0] == 0:
        counts *= len(hosts) // counts[0]
    if sum(counts) != len(hosts):
        raise ValueError(f"TRANSLOAD_RANKS_PER_NODE = {said} is not allowed: must be the ranks of all nodes, "
                         f"{len(hosts)} together, or a divisor of that")
    return counts


def form_world(group: Any, settings: Mapping[str, Any]) -> World:
    """A world of the ranks of another group, which tells each where rank 0 is."""
    host = _host()
    address = os.environ.get("TRANSLOAD_RENDEZVOUS", "")
    mine = (host, socket.gethostname(), address or _free_port() if group.rank == 0 else None)
    everyone = group.all_gather_object(mine)
    hosts = [one[0] for one in everyone]
    nodes = _nodes(hosts)
    where = everyone[0][2]
    if isinstance(where, int):
        name = "127.0.0.1" if len(set(hosts)) == 1 else everyone[0][1]
        where = f"{name}:{where}"
    return World(group.rank, group.size, nodes, where, settings)


def is_torch_group(group: Any) -> bool:
    return "torch" in sys.modules and hasattr(group, "rank") and hasattr(group, "size")
