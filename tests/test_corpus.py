"""Every module of torch's own test corpus does the same on PyTorch's Module and on ours, to the last bit."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RECORDER = ROOT / "tests" / "corpus_recorder.py"
NOT_ON_CPU: dict[str, str] = {}  # modules whose forward never works on a CPU, with the reason


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """Run the recorder on both Modules at once; give what each wrote down."""
    folder = tmp_path_factory.mktemp("corpus")
    files = [folder / "torch.json", folder / "scratch.json"]
    ways = [[sys.executable, RECORDER], [sys.executable, "-m", "scratch", RECORDER]]
    runs = [
        subprocess.Popen([*way, file], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for way, file in zip(ways, files, strict=True)
    ]
    said = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], "\n".join(said)
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def differences(ours, theirs, path=""):
    """Name each place where two reports differ, with both values."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in theirs.keys() | ours.keys():
            yield from differences(ours.get(key), theirs.get(key), f"{path} / {key}".removeprefix(" / "))
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for at, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(*pair, f"{path}[{at}]")
    elif ours != theirs:
        yield f"{path}: torch {str(theirs)[:300]} | scratch {str(ours)[:300]}"


def test_the_two_reports_come_from_the_two_modules(reports):
    theirs, ours = reports
    assert Path(ours["origin"]) == ROOT / "scratch" / "module.py"
    assert Path(theirs["origin"]).parts[-4:] == ("torch", "nn", "modules", "module.py")
    assert theirs["torch"] == ours["torch"]


def test_the_corpus_is_whole(reports):
    for report in reports:
        assert len(report["modules"]) == report["corpus"] >= 110
        idle = {name for name, recorded in report["modules"].items() if not recorded["worked"]}
        assert idle == set(NOT_ON_CPU), "modules that never gave an output; name each with its reason"


def test_every_module_of_the_corpus_does_the_same_on_both(reports):
    theirs, ours = (report["modules"] for report in reports)
    assert list(theirs) == list(ours)
    seen = ({name: recorded["seen"] for name, recorded in modules.items()} for modules in (ours, theirs))
    found = list(differences(*seen))
    assert not found, "\n".join([f"{len(found)} differences", *found[:20]])


def test_a_comparison_covers_every_aspect_in_both_modes(reports):
    wanted = {"construct", "names", "state_dict", "output", "repr", "dir", "gradients", "hooks", "deepcopy", "pickle"}
    wanted |= {"reload", "reload by assignment", "moved", "cleared", "frozen"}
    for name, recorded in reports[0]["modules"].items():
        assert {key.split()[1] for key in recorded["seen"]} == {"training=True", "training=False"}, name
        assert wanted <= set().union(*recorded["seen"].values()), name
