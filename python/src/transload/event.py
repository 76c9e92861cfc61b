# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""DeepEP's events. The host has no streams: who waits for an event of host tensors waits for the call."""

from types import TracebackType
from typing import Any, Callable, Optional, Tuple, Type


class EventHandle:
    """The end of a call, or something that has happened already."""

    def __init__(self, wait: Optional[Callable[[], None]] = None, event: Any = None) -> None:
        """
        :param wait: for the end of a call, by the host.
        :param event: of CUDA, which is recorded once that wait is over.
        """
        self._wait = wait
        self._event = event

    def host_wait(self) -> Any:
        """Wait until the event of CUDA is recorded; the event, or None."""
        wait, self._wait = self._wait, None
        if wait is not None:
            wait()
        return self._event

    def current_stream_wait(self) -> None:
        event = self.host_wait()
        if event is not None:
            event.wait()


class EventOverlap:
    """An event to be waited for, also as a ``with`` block at whose end it is."""

    def __init__(
            self, event: Optional[EventHandle] = None, extra_tensors: Optional[Tuple[Any, ...]] = None) -> None:
        self.event = event
        self.extra_tensors = extra_tensors

    def current_stream_wait(self) -> None:
        """
        Have the current stream wait for it; the host where there is none, or where a call is under way. What a call
        says that failed is raised here.
        """
        if self.event is not None:
            self.event.current_stream_wait()

    def __enter__(self) -> "EventOverlap":
        return self

    def __exit__(
            self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
            trace: Optional[TracebackType]) -> None:
        self.current_stream_wait()


HAPPENED = EventOverlap(EventHandle())
