"""A library that is not installed is said in words, with the line that installs it."""

import sys

import pytest
from sklearn.naive_bayes import GaussianNB

from quboselect import QUBO, importance, quantum
from quboselect.errors import MissingExtra, optional
from quboselect.quantum import circuits
from quboselect.quantum.circuits import qiskit

SMALL = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])


class Chip:
    """The look of a sampler."""

    def sample(self, model, **parameters):
        raise AssertionError("it was asked")


NEEDS = {
    "dimod": (lambda: quantum.Dimod(Chip())(SMALL), 'quantum.Dimod needs dimod.*"quboselect[dwave]"'),
    "shap": (
        lambda: importance.SHAP(GaussianNB())([[1.0], [2.0]] * 5, [0, 1] * 5),
        'importance.SHAP needs shap.*"quboselect[shap]"',
    ),
    "qiskit": (lambda: qiskit.circuit(circuits.TwoDesign.random(2)), '"quboselect[qiskit]"'),
    "qiskit_aer": (qiskit.aer, 'circuits.qiskit.aer needs qiskit_aer.*"quboselect[qiskit]"'),
    "qiskit_ibm_runtime": (qiskit.ibm, 'circuits.qiskit.ibm needs qiskit_ibm_runtime.*"quboselect[ibm]"'),
}


@pytest.mark.parametrize("library", NEEDS)
def test_each_missing_extra_gives_the_line_that_installs_it(library, monkeypatch):
    for name in [library, *(loaded for loaded in sys.modules if loaded.startswith(f"{library}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    call, words = NEEDS[library]
    with pytest.raises(MissingExtra, match=words.replace("[", r"\[").replace("]", r"\]")):
        call()


def test_a_library_that_is_there_but_broken_says_so_itself(monkeypatch, tmp_path):
    (tmp_path / "broken_library.py").write_text("import nothing_of_this_name")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name") as raised:
        optional("broken_library", "plot", "a test")
    assert not isinstance(raised.value, MissingExtra)
