# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""docs/python.md has each public function of the Buffer, and none that is not there."""

import re
import unittest
from pathlib import Path
from typing import List

import transload

DOCUMENT = Path(__file__).parents[2] / "docs" / "python.md"


class DocumentsTest(unittest.TestCase):
    def table(self, head: str) -> List[List[str]]:
        lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in lines[lines.index(head) + 2:] if line.startswith("|") or not line]
        return rows[:rows.index([""])]

    def test_should_list_each_public_function_once(self) -> None:
        rows = self.table("| DeepEP's function | ours | difference |")
        self.assertEqual({len(row) for row in rows}, {3})
        named = [name for row in rows for name in re.findall(r"`(\w+)", row[0])]
        functions = [name for name in dir(transload.Buffer)
                     if not name.startswith("_") and callable(getattr(transload.Buffer, name))]
        self.assertEqual(sorted(named), sorted(functions + ["Buffer"]))

    def test_should_not_say_that_a_refused_function_is_there(self) -> None:
        rows = self.table("| DeepEP's function | ours | difference |")
        self.assertEqual([row[0] for row in rows if "NotImplementedError" in row[1]], [])
        with self.assertRaisesRegex(NotImplementedError, "stream"):
            transload.Buffer.get_comm_stream(object())  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
