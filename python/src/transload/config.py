# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""DeepEP's tuning values, which size its buffers."""

import ctypes

from . import _library

_RANKS_PER_NODE = 8
_BYTES_OF_BF16 = 2


def _ring_bytes(nodes: int, ranks_per_node: int, hidden_bytes: int) -> int:
    library = _library.start()
    hidden = -(-hidden_bytes // _BYTES_OF_BF16 // 8) * 8
    size = ctypes.c_int64()
    library.check(library.ring_bytes(
        f"transload.nodes = {nodes}\ntransload.ranks-per-node = {ranks_per_node}\n"
        f"transload.max-hidden = {max(8, hidden)}".encode(), ctypes.byref(size)))
    return size.value


class Config:
    """
    The values are taken and kept, and change nothing: rings have the sizes that the settings of Transload say. The
    hints tell what these rings take, with nodes of 8 ranks.
    """

    def __init__(
            self, num_sms: int = 20, num_max_nvl_chunked_send_tokens: int = 6,
            num_max_nvl_chunked_recv_tokens: int = 256, num_max_rdma_chunked_send_tokens: int = 6,
            num_max_rdma_chunked_recv_tokens: int = 256) -> None:
        self.num_sms = num_sms
        self.num_max_nvl_chunked_send_tokens = num_max_nvl_chunked_send_tokens
        self.num_max_nvl_chunked_recv_tokens = num_max_nvl_chunked_recv_tokens
        self.num_max_rdma_chunked_send_tokens = num_max_rdma_chunked_send_tokens
        self.num_max_rdma_chunked_recv_tokens = num_max_rdma_chunked_recv_tokens

    def get_nvl_buffer_size_hint(self, hidden_bytes: int, num_ranks: int) -> int:
        """Bytes of a rank's rings within its node, for rows of so many bytes."""
        return _ring_bytes(1, min(num_ranks, _RANKS_PER_NODE), hidden_bytes)

    def get_rdma_buffer_size_hint(self, hidden_bytes: int, num_ranks: int) -> int:
        """Bytes of a rank's rings for other nodes, at most; 0 where there is one node."""
        if num_ranks <= _RANKS_PER_NODE:
            return 0
        if num_ranks % _RANKS_PER_NODE != 0:
            raise ValueError(f"num_ranks = {num_ranks} is not allowed: must be at most 8, or a multiple of 8")
        return _ring_bytes(num_ranks // _RANKS_PER_NODE, 1, hidden_bytes)
