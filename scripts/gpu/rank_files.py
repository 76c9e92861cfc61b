# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Files that `transload run --output` writes: what the other scripts need of them, and whether two runs are alike.

Usage: rank_files.py FOLDER REFERENCE. Exit code 0: the ranks' files have the same tensors with the same bytes; 1: they
have not, or there are none.
"""
import glob
import json
import os
import struct
import sys


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


def tensors(path):
    """Type, shape and bytes of a file's tensors, by their names."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {name: (entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__"}


def main(folder, reference):
    paths = sorted(glob.glob(os.path.join(folder, "rank-*.safetensors")))
    for path in paths:
        beside = os.path.join(reference, os.path.basename(path))
        if not os.path.exists(beside):
            print("%s: there is no %s to compare with" % (os.path.basename(path), beside))
            return 1
        here, there = tensors(path), tensors(beside)
        differing = [name for name in sorted(here.keys() | there.keys()) if here.get(name) != there.get(name)]
        print("%s: %s" % (os.path.basename(path), "%s differ" % ", ".join(differing) if differing else "same bytes"))
        if differing:
            return 1
    return 0 if paths else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
