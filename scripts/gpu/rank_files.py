# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""What the other scripts need of the files that `transload run --output` writes."""
import json
import os
import struct


def layout(folder, rank):
    """Rows to each rank, and elements of a row, by the safetensors file of a rank."""
    with open(os.path.join(folder, "rank-%04d.safetensors" % rank), "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(length))
        begin, end = header["num_tokens_per_rank"]["data_offsets"]
        file.seek(8 + length + begin)
        return list(struct.unpack("<%di" % ((end - begin) // 4), file.read(end - begin))), header["x"]["shape"][1]


def row_bytes(hidden, dtype):
    """Bytes of a row; one of FP8 has its scales behind it."""
    return hidden * 2 if dtype == "bf16" else hidden + hidden // 128 * 4
