# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""The examples for vLLM and SGLang: their signatures, and MoE layers by them."""

import importlib.util
import inspect
import sys
import unittest
from pathlib import Path
from typing import Any, Dict

from test_torch import run_torch_ranks

EXAMPLES = Path(__file__).parent.parent / "examples"


def outside(kind: type) -> Dict[str, Any]:
    """What callers of a class meet: its constructor, methods and properties."""
    return {name: inspect.getattr_static(kind, name) for name in dir(kind)
            if name == "__init__" or not name.startswith("_") and (
                callable(getattr(kind, name)) or isinstance(inspect.getattr_static(kind, name), property))}


def parameters(member: Any) -> Any:
    if isinstance(member, property):
        return "property"
    function = member.__func__ if isinstance(member, staticmethod) else member
    return type(member), [(one.name, one.kind, one.default) for one in inspect.signature(function).parameters.values()]


@unittest.skipIf(importlib.util.find_spec("torch") is None, "this Python has no PyTorch: install python3-torch")
class FrameworksTest(unittest.TestCase):
    def same_signatures(self, example: type, stand_in: type, refined: type) -> None:
        """Each member of the stand-in is the example's; what the example overrides of its base has the same names."""
        mine = outside(example)
        for name, member in outside(stand_in).items():
            self.assertEqual(parameters(mine[name]), parameters(member), f"{example.__name__}.{name}")
        for name, member in outside(refined).items():
            if name != "__init__" and not isinstance(member, property):
                self.assertEqual(
                    list(inspect.signature(member).parameters), list(inspect.signature(mine[name]).parameters), name)
        self.assertEqual(getattr(example, "__abstractmethods__"), frozenset())
        self.assertTrue(issubclass(example, refined))

    def test_should_have_the_signatures_of_vllm_and_sglang(self) -> None:
        import sglang_stand_in
        import vllm_stand_in

        sys.path.insert(0, str(EXAMPLES))
        vllm_stand_in.install()
        sglang_stand_in.install()
        import sglang_dispatcher
        import vllm_prepare_finalize

        base = vllm_stand_in.FusedMoEPrepareAndFinalizeModular
        self.same_signatures(
            vllm_prepare_finalize.TransloadHTPrepareAndFinalize, vllm_stand_in.DeepEPHTPrepareAndFinalize, base)
        self.same_signatures(
            vllm_prepare_finalize.TransloadLLPrepareAndFinalize, vllm_stand_in.DeepEPLLPrepareAndFinalize, base)
        self.same_signatures(
            sglang_dispatcher.TransloadDispatcher, sglang_stand_in.DeepEPDispatcher, sglang_stand_in.BaseDispatcher)
        document = (EXAMPLES.parent.parent / "docs" / "python.md").read_text(encoding="utf-8")
        for name in ("vllm", "sglang"):
            stand_in = sys.modules[f"{name}_stand_in"].__doc__ or ""
            commit = next(word for word in stand_in.split() if len(word) == 40)
            example = next(EXAMPLES.glob(f"{name}_*.py")).read_text(encoding="utf-8")
            self.assertIn(commit, example)
            self.assertIn(commit, document)

    def test_should_run_layers_as_the_dense_computation_does(self) -> None:
        run_torch_ranks(self, "frameworks_rank.py", 2, "2")


if __name__ == "__main__":
    unittest.main()
