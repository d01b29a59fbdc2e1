"""Tables of Dask's: counts where the partitions are, the same as in memory, also when a worker dies."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest

from quboselect import SelectQUBO, criteria
from quboselect.streaming import JointCounts, Tally
from quboselect.streaming.dask_tables import (
    dask_counts,
    dask_features,
    is_dask,
    partition_counts,
    partition_tally,
    partitions,
)
from quboselect.streaming.reading import Reading

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

N = 400


def frame(seed=0):
    """Return a pandas frame of several kinds of features, with holes, and a label that some of them tell."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=N)
    X = pd.DataFrame({f"f{i}": hidden * (i % 3) + rng.normal(size=N) for i in range(6)})
    X["town"] = rng.choice(["Ulm", "Bonn", "Kiel"], N)
    X["whole"] = rng.integers(0, 30, N)
    X.loc[rng.random(N) < 0.1, ["f1", "town"]] = None
    return X, pd.Series(np.where(hidden > 0, "yes", "no"), name="y")


def lazy(X, y, n=9):
    """Return a frame and a target of Dask's, of the same partitions."""
    both = dd.from_pandas(X.assign(y=y), npartitions=n)
    return both[list(X.columns)], both["y"]


def assert_same(selector, expected):
    np.testing.assert_array_equal(selector.support_, expected.support_)
    np.testing.assert_array_equal(selector.importance_, expected.importance_)
    np.testing.assert_array_equal(selector.redundancy_, expected.redundancy_)
    assert selector.n_features_in_ == expected.n_features_in_
    assert selector.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


def whole_counts(X, y):
    return JointCounts.of(Tally.of(X, y).coding(20), X, y)


@pytest.fixture(scope="module")
def client():
    """Yield a client of four worker processes, and leave none of them behind."""
    settings = {
        "distributed.worker.multiprocessing-method": "forkserver",
        "distributed.comm.timeouts.connect": "60s",
    }
    with warnings.catch_warnings(), dask.config.set(settings):
        # Ports and event loops that are let go late are Dask's own affair.
        warnings.simplefilter("ignore")
        # One process imports for all workers, and for the one that replaces the killed one.
        distributed.utils.get_mp_context().set_forkserver_preload(
            ["distributed", "dask.dataframe", "quboselect.streaming.dask_tables"]
        )
        with (
            distributed.LocalCluster(
                n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


def test_dask_is_told_by_its_name():
    X, y = lazy(*frame())
    assert all(is_dask(table) for table in (X, y, da.ones(3), X.index))
    assert not any(is_dask(table) for table in (*frame(), np.ones(3), [1], None))


@pytest.mark.parametrize("n", [1, 3, 9, 70])
def test_a_tree_of_any_size_gives_the_counts_of_the_whole(n):
    X, y = frame()
    pieces = partitions(*lazy(X, y, n))
    assert len(pieces) == n
    tally = partition_tally(pieces, Reading())
    expected = whole_counts(X, y)
    assert tally.n_samples == N
    counts = partition_counts(pieces, tally.coding(20))
    np.testing.assert_array_equal(counts.tables, expected.tables)


def test_the_check_is_asked_once_between_the_passes(monkeypatch):
    X, y = frame()
    asked = []
    counts = dask_counts(*lazy(X, y), Reading(bins=20), check=lambda *features: asked.append(features))
    assert asked == [(8, tuple(X.columns))]
    np.testing.assert_array_equal(counts.tables, whole_counts(X, y).tables)

    def refuse(n, names):
        raise ValueError("not these")

    monkeypatch.setattr(JointCounts, "of", lambda *_, **__: pytest.fail("it was counted"))
    with pytest.raises(ValueError, match="not these"):
        dask_counts(*lazy(X, y), Reading(), check=refuse)


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_a_frame_is_fitted_as_in_memory(scheduler):
    X, y = frame()
    with dask.config.set(scheduler=scheduler):
        selector = SelectQUBO(k=3).fit(*lazy(X, y))
    assert_same(selector, SelectQUBO(k=3).fit(X, y))
    assert selector.feature_names_in_.tolist() == list(X.columns)
    assert selector.n_samples_seen_ == N


@pytest.mark.parametrize("name", ["Pairs", "QFS", "MRMR", "MIFS", "JMI", "CMI", "CIFE", "ICAP", "DISR"])
def test_every_criterion_gives_the_same_bits_of_partitions(name):
    X, y = frame()
    chosen = {"k": 3, "criterion": getattr(criteria, name)()}
    with dask.config.set(scheduler="synchronous"):
        assert_same(SelectQUBO(**chosen).fit(*lazy(X, y, 4)), SelectQUBO(**chosen).fit(X, y))


def test_an_array_is_fitted_as_in_memory_however_it_is_cut():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, 7))
    y = (X[:, 0] + rng.normal(size=N) > 0).astype(int)
    expected = SelectQUBO(k=3).fit(X, y)
    lazy_X = da.from_array(X, chunks=(90, 3))
    for label in (da.from_array(y, chunks=90), da.from_array(y, chunks=70), y, y.tolist(), pd.Series(y)):
        assert_same(SelectQUBO(k=3).fit(lazy_X, label), expected)
    assert not hasattr(SelectQUBO(k=3).fit(lazy_X, y), "feature_names_in_")


def test_lengths_need_not_be_known_and_partitions_may_be_empty():
    X, y = frame()
    kept = (X["whole"] > 20) & (X.index >= 100)
    both = dd.from_pandas(X.assign(y=y, z=(y == "yes").astype(int)), npartitions=8)
    both = both[(both["whole"] > 20) & (both.index >= 100)]
    assert 0 in both.map_partitions(len).compute().tolist()
    expected = SelectQUBO(k=3).fit(X[kept], y[kept])
    lazy_X = both[list(X.columns)]
    for label in (both["y"], both[["y"]], y[kept], y[kept].to_numpy()):
        assert_same(SelectQUBO(k=3).fit(lazy_X, label), expected)
    numbers = ["f0", "f2", "f3", "whole"]
    array = both[numbers].to_dask_array()
    assert np.isnan(array.shape[0])
    expected = SelectQUBO(k=2).fit(X.loc[kept, numbers].to_numpy(), y[kept])
    for label in (both["y"], both["z"].to_dask_array(), y[kept]):
        assert_same(SelectQUBO(k=2).fit(array, label), expected)


def test_a_selector_keeps_its_wishes_on_a_cluster():
    X, y = frame()
    wishes = {"k": 2, "exclude": ["f2", "town"], "categorical_features": ["whole"], "include": ["f0"]}
    assert_same(SelectQUBO(**wishes).fit(*lazy(X, y)), SelectQUBO(**wishes).fit(X, y))
    continuous = X["f5"].rename("y")
    wishes = {"k": 2, "target_type": "continuous"}
    rest = X.drop(columns="f5")
    assert_same(SelectQUBO(**wishes).fit(*lazy(rest, continuous)), SelectQUBO(**wishes).fit(rest, continuous))


def test_partitions_that_do_not_match_are_refused_in_words():
    X, y = frame()
    lazy_X, lazy_y = lazy(X, y)
    with pytest.raises(ValueError, match=r"divisions.*y\.repartition"):
        SelectQUBO(k=2).fit(lazy_X, dd.from_pandas(y, npartitions=4))
    with pytest.raises(ValueError, match=r"9 and 4"):
        SelectQUBO(k=2).fit(lazy_X.clear_divisions(), dd.from_pandas(y, npartitions=4))
    shifted = dd.concat([dd.from_pandas(y[:10], npartitions=1), dd.from_pandas(y[10:], npartitions=8)])
    with pytest.raises(ValueError, match=r"partition \d .*\d+ samples in X and \d+ in y"):
        SelectQUBO(k=2).fit(lazy_X.clear_divisions(), shifted)
    with pytest.raises(ValueError, match=r"400 and 399"):
        SelectQUBO(k=2).fit(lazy_X, y[1:])
    with pytest.raises(ValueError, match=r"400 and 399"):
        SelectQUBO(k=2).fit(da.ones((400, 3)), da.ones(399))
    with pytest.raises(ValueError, match=r"y .*2 columns"):
        SelectQUBO(k=2).fit(lazy_X, lazy_X[["f0", "f2"]])
    with pytest.raises(ValueError, match=r"X .*\(400,\)"):
        SelectQUBO(k=2).fit(da.ones(400), lazy_y)
    with pytest.raises(ValueError, match=r"sample_weight .*400 and 399"):
        SelectQUBO(k=2).fit(lazy_X, lazy_y, sample_weight=np.ones(N - 1))
    with pytest.raises(ValueError, match=r"y is None"):
        SelectQUBO(k=2).fit(lazy_X, None)
    with pytest.raises(TypeError, match=r"X .*Delayed"):
        SelectQUBO(k=2).fit(dask.delayed(X), y)
    with pytest.raises(TypeError, match=r"X .*Bag"):
        SelectQUBO(k=2).fit(lazy_X.to_bag(), y)
    with pytest.raises(TypeError, match=r"y .*Delayed"):
        SelectQUBO(k=2).fit(lazy_X, dask.delayed(y))
    numbers = da.from_array((y == "yes").astype(int).to_numpy(), chunks=100)
    with pytest.raises(ValueError, match=r"9 and 4.* y\.rechunk\(\(tuple\(X\.map_partitions\(len\)"):
        SelectQUBO(k=2).fit(lazy_X, numbers)
    lengths = tuple(lazy_X.map_partitions(len).compute())
    assert SelectQUBO(k=2).fit(lazy_X, numbers.rechunk((lengths,))).support_.sum() == 2
    array = lazy_X[["f0", "f2"]].to_dask_array()
    with pytest.raises(ValueError, match=r"9 and 4.* X\.compute_chunk_sizes\(\) and y\.rechunk"):
        SelectQUBO(k=1).fit(array, numbers)
    with pytest.raises(ValueError, match=r"every partition is empty"):
        SelectQUBO(k=2).fit(lazy_X[lazy_X["whole"] > 99], lazy_y[lazy_X["whole"] > 99])


def test_measures_that_counts_do_not_give_are_refused_before_anything_is_computed():
    def never(part):
        raise AssertionError("computed")

    X, y = lazy(*frame())
    X = X.map_partitions(never, meta=X)
    with pytest.raises(ValueError, match="k"):
        SelectQUBO(k="auto").fit(X, y)
    with pytest.raises((ValueError, TypeError), match="importance"):
        SelectQUBO(k=2, importance=lambda X, y: np.ones(8)).fit(X, y)


def test_an_error_on_a_worker_names_the_partition_and_leaves_the_selector_as_it_was():
    X, y = frame()
    selector = SelectQUBO(k=3).fit(*lazy(X, y))
    before = selector.support_.copy()
    X.loc[390, "f3"] = np.inf
    with pytest.raises(ValueError, match=r"partition 8.*infinit"):
        selector.fit(*lazy(X, y))
    np.testing.assert_array_equal(selector.support_, before)


def test_transform_is_lazy_and_of_the_same_kind():
    X, y = frame()
    lazy_X, lazy_y = lazy(X, y)
    selector = SelectQUBO(k=3).fit(lazy_X, lazy_y)
    taken = selector.transform(lazy_X)
    assert is_dask(taken)
    pd.testing.assert_frame_equal(
        taken.compute(), lazy_X.compute()[selector.get_feature_names_out().tolist()], check_dtype=False
    )
    with pytest.raises(ValueError, match=r"X\[list\(selector\.feature_names_in_\)\]"):
        selector.transform(lazy_X[list(X.columns[::-1])])
    with pytest.raises(ValueError, match=r"2 features.*8 features"):
        selector.transform(lazy_X[["f0", "f1"]])
    # What was fitted on a cluster works in memory, and the other way round.
    assert selector.set_output(transform="pandas").transform(X).shape == (N, 3)
    numbers = np.random.default_rng(0).normal(size=(N, 4))
    selector = SelectQUBO(k=2).fit(numbers, y)
    array = selector.transform(da.from_array(numbers, chunks=(100, 2)))
    assert is_dask(array)
    np.testing.assert_array_equal(array.compute(), selector.transform(numbers))


def test_a_selection_of_nothing_is_warned_of():
    with pytest.warns(UserWarning, match="No features"):
        assert dask_features(da.ones((4, 3)), np.zeros(3, bool), None).shape == (4, 0)


def test_four_worker_processes_give_the_counts_of_one(client):
    X, y = frame()
    expected = SelectQUBO(k=3).fit(X, y)
    assert len({*client.run(os.getpid).values(), os.getpid()}) == 5
    selector = SelectQUBO(k=3).fit(*lazy(X, y, 20))
    assert_same(selector, expected)
    np.testing.assert_array_equal(
        selector.counts_.tables, JointCounts.of(Tally.of(X, y).coding(by_class=True), X, y).tables
    )


def test_only_counts_come_to_the_client(client):
    X, y = frame()
    pieces = partitions(*lazy(X, y, 20))
    tally = partition_tally(pieces, Reading())
    seen = []
    gather = distributed.Client.gather

    def watched(self, futures, *args, **options):
        found = gather(self, futures, *args, **options)
        seen.append(found)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distributed.Client, "gather", watched)
        partition_counts(pieces, tally.coding(20))
    # One value, of one kind; nothing of any partition.
    flat = [value for found in seen for value in np.ravel(np.array(found, object))]
    assert [type(value) for value in flat] == [JointCounts]


def test_a_worker_killed_half_way_changes_nothing(client, tmp_path):
    X, y = frame()
    lazy_X, lazy_y = lazy(X, y, 16)

    # Inside the test it goes to the workers whole: they need not find this file, or may find other tests by its name.
    def slow(part, seconds, log):
        with open(os.path.join(log, f"{os.getpid()}-{time.time_ns()}"), "w"):
            time.sleep(seconds)
        return part

    lazy_X = lazy_X.map_partitions(slow, 0.15, str(tmp_path), meta=lazy_X)
    expected = whole_counts(X, y)
    pids = set(client.run(os.getpid).values())
    pieces = partitions(lazy_X, lazy_y)
    tally = partition_tally(pieces, Reading())
    for file in tmp_path.iterdir():
        file.unlink()
    killed = []

    def kill():
        # Half of the partitions have been begun: the worker that began the last one has results of others too.
        while len(list(tmp_path.iterdir())) < 8:
            time.sleep(0.005)
        last = max(tmp_path.iterdir(), key=lambda file: int(file.name.split("-")[1]))
        killed.append(int(last.name.split("-")[0]))
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    counts = partition_counts(pieces, tally.coding(20))
    thread.join()
    assert killed[0] in pids
    # The scheduler knows that it is gone, and some partition was read again.
    assert len(list(tmp_path.iterdir())) > 16
    np.testing.assert_array_equal(counts.tables, expected.tables)
    np.testing.assert_array_equal(counts.information().redundancy, expected.information().redundancy)
