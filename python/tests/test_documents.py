# Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0
"""
docs/python.md has each public function of the Buffer, and none that is not there. The program in docs/quick-start.md
prints what the page says.
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List

import transload
from world import free_address

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT = DOCS / "python.md"


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

    def test_should_print_what_the_quick_start_says(self) -> None:
        page = (DOCS / "quick-start.md").read_text(encoding="utf-8")
        program = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)  # type: ignore[union-attr]
        self.assertIn('"127.0.0.1:7800"', program)
        said = re.search(r"two_ranks\.py\n(.*?)```", page, re.DOTALL).group(1)  # type: ignore[union-attr]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "two_ranks.py")
            file.write_text(program.replace("127.0.0.1:7800", free_address()), encoding="utf-8")
            done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(said.splitlines()))


if __name__ == "__main__":
    unittest.main()
