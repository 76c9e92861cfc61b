# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""Dispatch and combine of Mixture-of-Experts tokens, with the interface of DeepEP 1.2.1."""

from ._arrays import from_bfloat16, to_bfloat16
from ._library import BadInputError, PeerFailedError, TransloadError
from .buffer import Buffer, Handle
from .config import Config
from .event import EventHandle, EventOverlap
from .group import Group

__all__ = [
    "BadInputError",
    "Buffer",
    "Config",
    "EventHandle",
    "EventOverlap",
    "Group",
    "Handle",
    "PeerFailedError",
    "TransloadError",
    "from_bfloat16",
    "to_bfloat16",
]
