"""Remember what each snippet was run on: snippets/record.json, from which the badges come."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from literate.reading.repository import UsageError

MODULES = ("torch", "scratch")


class RecordError(UsageError):
    """Say what is wrong with the record, and how to make a new one."""


@dataclass(frozen=True, order=True)
class Entry:
    """Hold one run that went well: which program, on which of the Modules and devices, with which torch, when."""

    name: str
    module: str
    device: str
    snippet: str  # digest of the program
    module_py: str  # digest of scratch/module.py
    torch: str
    device_name: str
    date: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.snippet, self.module_py, self.module, self.device


@dataclass
class Record:
    """Hold the known runs, at most one for each program, scratch/module.py, Module and device."""

    entries: dict[tuple[str, str, str, str], Entry] = field(default_factory=dict)
    groups: dict[tuple[str, str], list[Entry]] = field(default_factory=dict)  # the same by program, once asked for

    def entries_for(self, snippet_digest: str, module_digest: str) -> list[dict[str, str]]:
        """Return the runs of exactly this program, made when scratch/module.py was exactly this."""
        if not self.groups:
            for entry in sorted(self.entries.values()):
                self.groups.setdefault(entry.key[:2], []).append(entry)
        return [asdict(entry) for entry in self.groups.get((snippet_digest, module_digest), [])]

    def add(self, entry: Entry) -> None:
        """Note a run; the old entry stays as it is where only the date would change."""
        old = self.entries.get(entry.key)
        if old is None or replace(old, date=entry.date) != entry:
            self.entries[entry.key] = entry
            self.groups.clear()

    def keep_only(self, snippet_digests: Iterable[str], module_digest: str) -> None:
        """Drop the runs of programs, and of a scratch/module.py, that are no more."""
        alive = set(snippet_digests)
        self.groups.clear()
        self.entries = {
            key: entry for key, entry in self.entries.items() if key[0] in alive and key[1] == module_digest
        }

    def text(self) -> str:
        """Return the file's text: sorted, and one line an entry, so that a diff can be read."""
        lines = [json.dumps(asdict(entry), ensure_ascii=False) for entry in sorted(self.entries.values())]
        return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def load(path: Path) -> Record:
    """Read the record; where there is none yet, it is empty.

    Raises:
        RecordError: if the file isn't a record.
    """
    if not path.exists():
        return Record()
    try:
        entries = [Entry(**item) for item in json.loads(path.read_text(encoding="utf-8"))]
        if not all(isinstance(value, str) for entry in entries for value in asdict(entry).values()):
            raise TypeError("a field is not a string")
    except (ValueError, TypeError) as error:
        raise RecordError(
            f"{path.as_posix()} is not a record of runs ({error}): restore it with `git checkout`, "
            "or delete it and run `python -m literate run --record`"
        ) from error
    return Record({entry.key: entry for entry in entries})
