"""Embedding: chains that are good ones, searches that end, and what `Dimod` does with a chip."""

import numpy as np
import pytest

import solver_oracles as oracles
from quboselect import QUBO, Tradeoff
from quboselect.quantum.chip import fit_report
from quboselect.quantum.dimod import Dimod, embed
from quboselect.quantum.embedding import SOME, needs_embedding
from quboselect.testing import check_solver


@pytest.fixture(scope="module")
def system():
    return pytest.importorskip("dwave.system", reason="needs dwave-system")


@pytest.fixture(scope="module")
def pegasus(system):
    from dwave.system.testing import MockDWaveSampler

    return MockDWaveSampler(topology_type="pegasus", topology_shape=[4])


def complete(n):
    return QUBO(np.ones(n), np.ones((n, n)) - np.eye(n))


LOPSIDED = QUBO([-1.0, -2.0, 4.0, -8.0], [[0, 3, 0, 0], [3, 0, 0.5, 0], [0, 0.5, 0, -5], [0, 0, -5, 0]])


def chains_are_good(chains, qubo, graph):
    """Check an embedding by its definition: connected chains, apart from each other, that touch where they must."""
    networkx = pytest.importorskip("networkx")
    used = [qubit for chain in chains.values() for qubit in chain]
    assert sorted(chains) == list(range(qubo.size))
    assert len(used) == len(set(used))
    assert all(networkx.is_connected(graph.subgraph(chain)) for chain in chains.values())
    for i, j in np.argwhere(np.triu(qubo.couplings)):
        assert any(graph.has_edge(a, b) for a in chains[i] for b in chains[j])


def test_embeddings_are_good_ones_and_repeatable(pegasus):
    graph = pegasus.to_networkx_graph()
    ring = np.roll(np.eye(40), 1, axis=0)
    sparse = QUBO(np.ones(40), ring + ring.T)
    alone = QUBO(np.ones(5), np.zeros((5, 5)))
    for qubo in (oracles.random_qubo(20, 0), sparse, alone, LOPSIDED):
        chains = embed(pegasus, qubo)
        chains_are_good(chains, qubo, graph)
        assert embed(graph, qubo) == chains
    # A clique of 40 has no room here, but a ring has.
    assert embed(pegasus, complete(40), tries=1) == {}


@pytest.fixture
def searches(pegasus, monkeypatch):
    """Return the options of all searches that are made, none of which finds anything."""
    import minorminer

    asked = []
    monkeypatch.setattr(minorminer, "find_embedding", lambda *_, **options: asked.append(options) or {})
    return asked


def test_what_is_dense_is_not_searched_for_where_a_clique_has_room_or_nothing_will(pegasus, searches):
    chains_are_good(embed(pegasus, complete(30)), complete(30), pegasus.to_networkx_graph())
    large = complete(SOME + 1)
    assert embed(pegasus, large) == {}
    assert fit_report(large, pegasus).fits is False
    with pytest.raises(ValueError, match="no embedding found"):
        Dimod(pegasus)(large)
    assert searches == []


def test_a_search_has_a_limit_of_tries_and_of_time(pegasus, searches):
    # A little too large for a clique: fewer couplings than all may still fit.
    assert embed(pegasus, complete(40), seed=3) == {}
    assert embed(pegasus, complete(40), tries=1, timeout=5) == {}
    assert searches == [
        {"random_seed": 3, "tries": 3, "timeout": 60},
        {"random_seed": 0, "tries": 1, "timeout": 5},
    ]


def test_dense_ones_a_little_larger_than_any_clique_are_found(pegasus):
    rng = np.random.default_rng(0)
    half = np.triu(rng.random((38, 38)) < 0.55, 1).astype(float)
    qubo = QUBO(np.ones(38), half + half.T)
    chains_are_good(embed(pegasus, qubo), qubo, pegasus.to_networkx_graph())


def test_only_what_has_the_couplings_of_a_chip_and_no_embedding_needs_one(pegasus):
    import dimod
    from dwave import samplers, system

    assert needs_embedding(pegasus)
    assert needs_embedding(dimod.TrackingComposite(pegasus))
    assert needs_embedding(dimod.StructureComposite(dimod.ExactSolver(), [0, 1], [(0, 1)]))
    embedding = system.EmbeddingComposite(pegasus)
    fixed = system.FixedEmbeddingComposite(pegasus, {0: [pegasus.nodelist[0]]})
    for enough in (embedding, fixed, dimod.TrackingComposite(embedding), samplers.TabuSampler()):
        assert not needs_embedding(enough)


def test_a_sampler_without_a_chip_has_nothing_to_embed_on():
    pytest.importorskip("minorminer", reason="needs minorminer")
    samplers = pytest.importorskip("dwave.samplers", reason="needs dwave-samplers")
    with pytest.raises(
        ValueError, match="SimulatedAnnealingSampler has no graph of qubits: any QUBO fits it"
    ):
        Dimod(samplers.SimulatedAnnealingSampler).fixed(LOPSIDED)


def test_a_chip_is_embedded_on_and_answers_with_its_fields(pegasus):
    qubo = oracles.random_qubo(12, 1)
    samples = Dimod(pegasus, 30)(qubo)
    assert samples.count.sum() == 30
    assert samples.info["sampler"] == "FixedEmbeddingComposite(MockDWaveSampler)"
    assert samples.info["problem_label"] == "quboselect n=12"
    assert samples.info["problem_id"]
    assert samples.info["timing"]["qpu_access_time"] > 0
    assert set(samples.info["embedding_context"]["embedding"]) == set(range(12))
    assert samples.info["chain_break_fraction"].shape == (len(samples),)
    weighted = np.average(samples.info["chain_break_fraction"], weights=samples.count)
    assert samples.info["chain_breaks"] == pytest.approx(weighted)


def test_solvers_on_a_chip_pass_the_kit(system, pegasus):
    check_solver(Dimod(pegasus, 20), repeatable=False)
    check_solver(Dimod(system.EmbeddingComposite(pegasus), 20), repeatable=False)


def test_a_chip_within_a_composite_is_embedded_on(system, pegasus):
    reversal = pytest.importorskip("dwave.preprocessing").SpinReversalTransformComposite
    qubo = oracles.random_qubo(6, 1)
    names = {
        "FixedEmbeddingComposite(SpinReversalTransformComposite(MockDWaveSampler))": reversal(pegasus),
        "SpinReversalTransformComposite(EmbeddingComposite(MockDWaveSampler))": reversal(
            system.EmbeddingComposite(pegasus)
        ),
    }
    for name, sampler in names.items():
        samples = Dimod(sampler, 20)(qubo)
        assert samples.info["sampler"] == name
        assert samples.energy[0] == pytest.approx(oracles.lowest_energy(qubo, None))


def test_a_connection_is_closed_after_an_embedding_was_fixed(pegasus, monkeypatch):
    closed = []
    monkeypatch.setattr(type(pegasus), "close", lambda self: closed.append(self))
    solver = Dimod(lambda: pegasus, 5).fixed(LOPSIDED)
    assert closed == [pegasus]
    solver(LOPSIDED)
    assert closed == [pegasus] * 2
    Dimod(pegasus, 5).fixed(LOPSIDED)(LOPSIDED)
    assert closed == [pegasus] * 2


def test_one_embedding_serves_every_alpha(system, pegasus):
    base = oracles.random_qubo(8, 2)
    tradeoff = Tradeoff(-base.linear, base.couplings)
    for sampler in (pegasus, system.EmbeddingComposite(pegasus)):
        solver = Dimod(sampler, 10).fixed(tradeoff.at(0.5))
        for alpha in (0.0, 0.2, 0.9, 1.0):
            samples = solver(tradeoff.at(alpha))
            assert samples.info["sampler"] == "FixedEmbeddingComposite(MockDWaveSampler)"
            assert samples.info["embedding_context"]["embedding"] == dict(solver.embedding)


def test_a_qubo_without_room_on_the_chip_is_refused_in_words(pegasus):
    large = complete(60)
    with pytest.raises(
        ValueError, match=r"no embedding found for QUBO\(size=60\).*quboselect.quantum.chip.reduce"
    ):
        Dimod(pegasus).fixed(large, tries=1)


def test_an_embedding_that_went_through_json_is_refused_in_words():
    with pytest.raises(
        TypeError, match=r"bits are integers, got '0'; JSON makes strings of them: write \{int\(bit\)"
    ):
        Dimod(lambda: None, embedding={"0": [1, 2]})


def test_an_embedding_of_another_problem_is_refused_in_words(pegasus):
    solver = Dimod(pegasus, 5).fixed(oracles.random_qubo(4, 0))
    with pytest.raises(ValueError, match="a chain for each of 5 bits, got 4 chains; embed anew with fixed"):
        solver(oracles.random_qubo(5, 0))
    ring = np.roll(np.eye(30), 1, axis=0)
    solver = Dimod(pegasus, 5).fixed(QUBO(np.ones(30), ring + ring.T))
    with pytest.raises(ValueError, match=r"no coupler between the chains of bits \d+ and \d+"):
        solver(complete(30))
