#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Files that others can change, and how the command treats them: trust_test.py HOGWILD

As root, files are given to another user; as anybody else, everybody may write to them.
"""
import os
import pathlib
import stat
import unittest

from command_case import command_case

os.umask(0o022)
ROOT = os.geteuid() == 0
STRANGER = 65533
SENTENCE = f"belongs to user {STRANGER}" if ROOT else "may be written by everybody"
ROWS = "".join(f"{'1' if k % 2 else '-1'} {k % 5 + 1}:1 {6 + k % 2}:1\n" for k in range(60))


def let_others_change(path):
    if ROOT:
        os.chown(path, STRANGER, -1, follow_symlinks=False)
    else:
        os.chmod(path, 0o666)


class files_of_others(command_case):
    def setUp(self):
        super().setUp()
        self.data = pathlib.Path(self.write("train.svm", ROWS))
        self.cache = self.folder / "train.svm.hogwild"

    def train(self, *more, code=0):
        epochs = [] if "--epochs" in more else ["--epochs", "3"]
        return self.run_command("train", self.data, "--engine", "serial", "--step", "0.1", *epochs, *more, code=code)

    def test_a_cache_with_other_labels_trains_no_model(self):
        self.train("--save", self.folder / "right.txt")
        # A cache of the same key, with its labels swapped.
        whole = self.cache.read_bytes()
        other = self.folder / "other.svm"
        other.write_text("".join(("-" + line if line[0] != "-" else line[1:]) for line in ROWS.splitlines(True)))
        self.run_command("train", other, "--engine", "serial", "--epochs", "1", "--quiet")
        forged = bytearray((self.folder / "other.svm.hogwild").read_bytes())
        self.assertNotEqual(bytes(forged), whole)
        self.cache.write_bytes(forged)
        let_others_change(self.cache)
        said = self.train("--save", self.folder / "again.txt").stderr
        self.assertIn(SENTENCE, said)
        self.assertEqual((self.folder / "again.txt").read_bytes(), (self.folder / "right.txt").read_bytes())
        if ROOT:  # another user's file stays, and the next place is taken
            self.assertIn("the cache goes to " + str(self.folder / "own" / "hogwild"), said)
            self.assertEqual(self.cache.read_bytes(), bytes(forged))
        self.assertNotIn("cache", self.train().stderr)

    def test_a_named_cache_is_not_mapped(self):
        self.train()
        let_others_change(self.cache)
        self.assertIn(SENTENCE, self.run_command("inspect", self.cache, code=3).stderr)

    def test_all_engines_train_on_data_without_a_cache(self):
        for engine in (["serial"], ["threads", "--workers", "2"], ["processes", "--workers", "2"]):
            with self.subTest(engine=engine):
                self.run_command("train", self.data, "--no-cache", "--epochs", "1", "--step", "0.1", "--engine",
                                 *engine)

    def test_a_saved_model_is_read_with_a_note(self):
        model = self.folder / "m.bin"
        self.train("--save", model)
        self.assertEqual(self.run_command("predict", model, self.data).stderr, "")
        let_others_change(model)
        for words in (["predict", model, self.data], ["evaluate", model, self.data], ["inspect", model],
                      ["convert", model, self.folder / "m.txt"], ["train", self.data, "--init", model, "--quiet"]):
            with self.subTest(command=words[0]):
                self.assertIn(f"the model {model} {SENTENCE}", self.run_command(*words).stderr)

    def test_a_checkpoint_is_none(self):
        checkpoint = self.folder / "run.checkpoint"
        before = os.umask(0)
        try:
            self.train("--checkpoint", checkpoint)
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE(checkpoint.stat().st_mode) & 0o022, 0)
        self.train("--epochs", "4", "--resume", checkpoint)
        for path in (checkpoint, f"{checkpoint}.previous"):
            let_others_change(path)
        said = self.train("--epochs", "4", "--resume", checkpoint, code=3).stderr
        self.assertIn(SENTENCE, said)
        self.assertIn("make a copy of your own", said)

    def search(self, journal, code=0):
        return self.run_command("search", self.data, "--strategy", "grid", "--space", "step=0.1,0.2", "--epochs", "1",
                                "--engine", "serial", "--journal", journal, code=code)

    def test_a_journal_is_refused(self):
        journal = self.folder / "journal"
        before = os.umask(0)
        try:
            self.search(journal)
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE(journal.stat().st_mode), 0o644)
        self.search(journal)
        let_others_change(journal)
        self.assertIn(SENTENCE, self.search(journal, code=3).stderr)

    @unittest.skipUnless(ROOT, "only root can make a link of another user")
    def test_a_link_of_others_is_followed_by_none_of_them(self):
        self.train("--checkpoint", self.folder / "kept")
        for name in ("train.svm.hogwild", "kept"):
            target = self.folder / f"{name}.target"
            os.rename(self.folder / name, target)
            os.symlink(target.name, self.folder / name)
            let_others_change(self.folder / name)
        said = self.train("--resume", self.folder / "kept", code=3).stderr
        self.assertIn(f"is reached through the link train.svm.hogwild of user {STRANGER}", said)
        self.assertIn(f"is reached through the link kept of user {STRANGER}", said)


if __name__ == "__main__":
    unittest.main()
