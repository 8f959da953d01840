"""The results so far. Each is written as a line when it is found, so that an interrupted run can continue."""

import json
import os


class Record:
    def __init__(self, path, fingerprint):
        self.path = path
        self.seconds, self.outcomes = {}, {}
        try:
            with open(path, "rb+") as file:
                whole, end, _ = file.read().rpartition(b"\n")
                # An interrupted run may have left an incomplete last line, which is removed.
                file.truncate(len(whole + end))
                lines = [json.loads(line) for line in whole.splitlines()]
        except OSError:
            lines = []
        if not lines or lines[0] != {"tree": fingerprint}:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(json.dumps({"tree": fingerprint}) + "\n")
            return
        for line in lines[1:]:
            if "suite" in line:
                self.seconds[line["suite"]] = line["seconds"]
            else:
                self.outcomes[line["mutant"]] = (line["killer"], line["seconds"])

    def _add(self, **members):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(members, ensure_ascii=False) + "\n")

    def passes(self, suite, seconds):
        """Records that a suite passes without a mutant, and how long it takes."""
        self.seconds[suite] = seconds
        self._add(suite=suite, seconds=seconds)

    def judged(self, mutant, killer, seconds):
        self.outcomes[mutant] = (killer, seconds)
        self._add(mutant=mutant, killer=killer, seconds=seconds)
