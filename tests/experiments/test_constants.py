import ast
from pathlib import Path

import constants
import pytest


def test_the_numbers_of_every_experiment_are_there():
    assert constants.section("method")["bins"] == 20
    assert constants.section("one")["k"] == constants.section("two")["k"]["mnist"] == 30
    assert constants.section("three")["theirs"]["mse_per_image"] == 21.7389
    assert constants.section("four")["datasets"]["ionosphere"]["alpha"] == 0.90625


def test_theirs_are_a_mean_and_a_deviation_for_each_model():
    two = constants.section("two")
    assert set(two["theirs"]) == {"mnist", "madelon", "synth_100", "waveform"}
    for methods in two["theirs"].values():
        for pairs in methods.values():
            assert len(pairs) == len(two["models"])
            assert all(0 < mean < 1 and 0 < deviation < 0.1 for mean, deviation in pairs)


def test_the_decoder_which_travels_alone_has_the_same_numbers():
    tree = ast.parse(Path(constants.FILE).with_name("decoder.py").read_text(encoding="utf-8"))
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names, values = ast.unparse(node.targets[0]).strip("()").split(", "), node.value
            parts = values.elts if isinstance(values, ast.Tuple) and len(names) > 1 else [values]
            found |= {name: ast.unparse(part) for name, part in zip(names, parts, strict=True)}
    three = constants.section("three")
    assert found["BATCH"] == str(three["batch"])
    assert found["LEARNING_RATE"] == str(three["learning_rate"])
    assert found["SHOWN"] == str(three["shown"])


def test_constants_cannot_be_changed():
    with pytest.raises(TypeError):
        constants.section("one")["k"] = 31


def test_an_unknown_section_is_named():
    with pytest.raises(KeyError, match=r"has the sections method, .*not 'five'"):
        constants.section("five")
