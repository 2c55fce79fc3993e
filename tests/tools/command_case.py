# SPDX-License-Identifier: Apache-2.0
"""Tests that run the hogwild command, whose path is the first argument of their script, each in a folder of its own."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HOGWILD = pathlib.Path(sys.argv.pop(1)).resolve()
# Seconds after which a program hangs: no bound on its speed. The test presets end a test after 1500.
HANGS = 1400
HAS_NETS = " mlp" in subprocess.run([HOGWILD, "train", "--help"], capture_output=True, text=True, check=True).stdout


class command_case(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def run_command(self, *words, code=0, stdin=""):
        """Returns the output of the command, which must end with the code. Caches that find no place go to FOLDER/own."""
        done = subprocess.run([HOGWILD, *words], capture_output=True, text=True, check=False, timeout=HANGS, input=stdin,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "own")})
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done

    def said(self, *words, code=0, stdin=""):
        """The standard output, or the message of a refused command."""
        done = self.run_command(*words, code=code, stdin=stdin)
        return done.stdout if code == 0 else done.stderr
