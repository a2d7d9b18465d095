"""The tests of the documentation can fail: each is given a page that is wrong.  check_docs_test.py MUSTER"""

import pathlib
import sys
import tempfile
import unittest

import link_check
import parse_check
import run_pages

MUSTER = sys.argv.pop()


class WrongPages(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def page(self, text):
        path = self.folder / "page.md"
        path.write_text(text, encoding="utf-8")
        return path

    def ran(self, text):
        return run_pages.page_errors(self.page(text), self.folder, MUSTER)

    def parsed(self, text):
        return parse_check.page_errors(self.page(text), known)

    def test_a_failing_command_is_found(self):
        self.assertIn("exit code 2", self.ran("```console\n$ muster trian photos\n```\n")[0])
        self.assertEqual(self.ran("```console\n$ muster --version | wc -l\n1\n```\n"), [])

    def test_a_page_without_commands_is_found(self):
        self.assertIn("nothing to run", self.ran("<!-- not run: no reason -->\n```console\n$ true\n```\n")[0])

    def test_other_output_is_found(self):
        say = "```console\n$ printf 'accuracy 80.0 %%\\nmodel: m\\n'\n"
        self.assertEqual(self.ran(say + "accuracy 81.0 %\nmodel: m\n```\n"), [])
        self.assertEqual(self.ran(say + "...\nmodel: m\n```\n"), [])
        for shown in ("accuracy 99.0 %\nmodel: m", "error 80.0 %\nmodel: m", "accuracy 80.0 %", "model: m",
                      "accuracy 80.0 %\nmodel: m\nmore", "...\nmodel: other"):
            self.assertNotEqual(self.ran(f"{say}{shown}\n```\n"), [], shown)
        self.assertEqual(self.ran("```console\n$ printf 'a\\tdots\\t0.912\\n'\na\tdots\t0.902\n```\n"), [])
        self.assertNotEqual(self.ran("```console\n$ printf 'a\\tdots\\t0.912\\n'\na\tdots\t0.702\n```\n"), [])

    def test_a_file_block_is_written_before_the_commands_run(self):
        self.assertEqual(self.ran("<!-- file: a.txt -->\n```text\nhello\n```\n```console\n$ cat a.txt\nhello\n```\n"), [])

    def test_what_does_not_exist_is_found_without_running(self):
        for text, wrong in (("    muster trian photos", "'trian' is not a command"), ("    muster train photos --ouptut m", "no option --ouptut"),
                            ("    muster train photos -o m -r dsift/bwo/linear-svm", "'bwo' is not a stage"),
                            ("    dsift/bow:wrods=3/linear-svm    few words", "bow has no option 'wrods'"),
                            ("    muster bench photos --methods fishre -o out", "'fishre' is not a method"),
                            ("See `muster info --everything m`.", "no option --everything"), ("Take `dsift/bow:wrods=3`.", "no option 'wrods'")):
            self.assertIn(wrong, "\n".join(self.parsed(text + "\n")), text)
        self.assertEqual(self.parsed("    muster train photos -o m -r dsift:size=16,32/bow:words=3/linear-svm\n"), [])

    def test_links_scripts_and_sources_that_lead_nowhere_are_found(self):
        for text, wrong in (("[a](gone.md)", "leads nowhere"), ("# One\n[a](#two)", "no such heading"), ("Run scripts/gone.", "scripts/gone"), ("In math/gone.h.", "math/gone.h"),
                            ("```cpp\nint i;\n```", "no test compiles"), ("<!-- from: README.md -->\n```cpp\nint i;\n```", "does not stand in")):
            self.assertIn(wrong, "\n".join(link_check.page_errors(self.page(text + "\n"))), text)
        self.assertEqual(link_check.page_errors(self.page("# One two\n[a](#one-two) [b](page.md)\n")), [])

    def test_a_table_of_folders_out_of_order_is_found(self):
        self.assertEqual(link_check.folder_errors("| core/ | a |\n| math/ | b |\n", "foreach(folder core\n  math)\n"), [])
        self.assertNotEqual(link_check.folder_errors("| math/ | b |\n| core/ | a |\n", "foreach(folder core math)\n"), [])


if __name__ == "__main__":
    known = parse_check.Vocabulary(MUSTER)
    unittest.main()
