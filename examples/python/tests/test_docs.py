"""The programs in the documents do what they say."""

import contextlib
import io
import re
import unittest
from pathlib import Path

FOLDER = Path(__file__).parents[1]
DOCUMENTS = [FOLDER / "README.md", FOLDER.parents[1] / "README.md"]


class Documents(unittest.TestCase):
    def test_every_program_runs_and_prints(self):
        for document in DOCUMENTS:
            programs = re.findall(r"```python\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)
            self.assertTrue(programs, document)
            for program in programs:
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(program, str(document), "exec"), {"__name__": "__main__"})
                self.assertTrue(printed.getvalue().strip(), program)


if __name__ == "__main__":
    unittest.main()
