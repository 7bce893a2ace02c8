"""What is saved on one Module is loaded on the other, whole or as a state_dict, in both directions."""

import subprocess
import sys
from pathlib import Path

import pytest
import saved_across

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
TESTS = Path(__file__).resolve().parent
MODULE = TESTS.parent / "scratch" / "module.py"


def test_models_saved_on_either_module_are_loaded_on_the_other(tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    saved_across.save(theirs)
    code = f"import sys; sys.path.insert(0, {str(TESTS)!r}); import saved_across; saved_across.exchange(*sys.argv[1:])"
    command = [sys.executable, "-W", "ignore", "-m", "scratch", "-c", code, str(theirs), str(ours)]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{MODULE}\n"
    saved_across.load(ours)


def test_a_model_that_was_saved_differs_where_something_is_lost(tmp_path):
    saved_across.save(tmp_path)
    saved_across.load(tmp_path)
    saved = saved_across.torch.load(tmp_path / "hooked.pt", weights_only=False)
    saved["model"]._forward_hooks.clear()
    saved_across.torch.save(saved, tmp_path / "hooked.pt")
    with pytest.raises(AssertionError, match="hooked"):
        saved_across.load(tmp_path)
