"""Discoveries: which features pass, by p-values and by twins, and what a selector makes of it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import false_discovery_control
from sklearn.base import clone

from quboselect import Constraints, SelectQUBO, SelectQUBOCV, importance, search
from quboselect.search.chance import pooled_p_values
from quboselect.search.discovery import Chance, adjusted, knockoff_rates, rule_of, simes
from quboselect.tables.table import as_table
from quboselect.tables.target import as_target


def some_table(useful=5, useless=45, samples=300, seed=0, strength=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, samples)
    X = rng.normal(size=(samples, useful + useless))
    X[:, :useful] += strength * y[:, None]
    return X, y


@pytest.mark.parametrize("seed", range(5))
def test_q_values_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    p_values = np.round(rng.random(20) ** 3, 2)  # with ties
    np.testing.assert_allclose(adjusted(p_values), false_discovery_control(p_values))


def test_one_p_value_of_several_is_simes():
    p_values = np.array([0.2, 0.01, 0.03])
    assert simes(p_values) == pytest.approx(min(3 * 0.01, 3 * 0.03 / 2, 0.2))
    assert simes(np.array([0.4])) == 0.4


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_leads_pass_at_the_least_limit_that_keeps_the_rate(seed, rate):
    rng = np.random.default_rng(seed)
    lead = np.round(rng.normal(0.8, 1.0, 30), 1)  # with ties and zeros
    passed = np.zeros(30, bool)
    for t in sorted(set(np.abs(lead[lead != 0]))):
        if (1 + (lead <= -t).sum()) / max((lead >= t).sum(), 1) <= rate:
            passed = lead >= t
            break
    np.testing.assert_array_equal(knockoff_rates(lead) <= rate, passed)


def test_all_that_pass_are_selected():
    X, y = some_table()
    selector = SelectQUBO(k="fdr").fit(X, y)
    chance = selector.result_.chance
    assert chance.rate == 0.1
    assert selector.support_[:5].all()
    assert selector.support_.sum() <= 7
    np.testing.assert_array_equal(selector.support_, chance.passed)
    np.testing.assert_array_equal(chance.passed, adjusted(selector.p_values_) <= 0.1)
    assert selector.p_values_ is chance.p_values
    assert not selector.p_values_.flags.writeable


@pytest.mark.parametrize("fdr", [0.2, search.Twins(0.2)], ids=["shuffles", "twins"])
def test_over_many_tables_no_more_is_false_than_was_asked_for(fdr):
    false = []
    for seed in range(40):
        X, y = some_table(useful=10, useless=50, samples=150, seed=seed, strength=0.7)
        passed = rule_of(fdr)(
            importance.MutualInformation(), as_table(X), as_target(y), Constraints.of(60)
        ).passed
        false.append(passed[10:].sum() / max(passed.sum(), 1))
    assert 0.0 < np.mean(false) < 0.2 + 3 * np.std(false, ddof=1) / np.sqrt(40)


def test_a_lower_rate_lets_no_more_pass():
    X, y = some_table(strength=0.5)
    passed = [SelectQUBO(k="fdr", fdr=rate).fit(X, y).k_ for rate in (0.05, 0.2, 0.5, 1.0)]
    assert passed == sorted(passed)
    assert passed[0] < passed[-1] == 50


def test_k_are_selected_of_those_that_pass_as_if_there_were_no_others():
    X, y = some_table(useful=8)
    selector = SelectQUBO(k=3, fdr=0.1).fit(X, y)
    alone = SelectQUBO(k=3, exclude=~selector.result_.chance.passed).fit(X, y)
    np.testing.assert_array_equal(selector.support_, alone.support_)
    assert selector.k_ == 3
    assert selector.proven_


def test_where_fewer_than_k_pass_all_of_these_come_with_a_warning():
    X, y = some_table()
    with pytest.warns(UserWarning, match=r"k=20 .*rate of false discoveries of 0\.1"):
        selector = SelectQUBO(k=20, fdr=0.1).fit(X, y)
    np.testing.assert_array_equal(selector.support_, selector.result_.chance.passed)


def test_where_none_passes_a_fit_is_refused_and_the_one_before_stays():
    X, y = some_table(useful=0)
    selector = SelectQUBO(k=3).fit(X, y)
    before = selector.result_
    with pytest.raises(ValueError, match=r"no feature passes .* 0\.01.*fdr=None"):
        selector.set_params(fdr=0.01).fit(X, y)
    assert selector.result_ is before


def test_included_features_need_not_pass_and_excluded_ones_cannot():
    X, y = some_table()
    selector = SelectQUBO(k="fdr", include=[20], exclude=[0, 1]).fit(X, y)
    assert selector.support_[[2, 3, 4, 20]].all()
    assert not selector.support_[[0, 1]].any()
    assert selector.result_.chance.q_values[[0, 1, 20]].tolist() == [1.0, 1.0, 1.0]
    assert SelectQUBO(k="fdr", fdr=0.001, include=[20]).fit(*some_table(useful=0)).k_ == 1


def test_a_group_passes_as_a_whole_by_one_p_value():
    X, y = some_table()
    groups = [[0, 10], [11, 12], [1, 2]]
    selector = SelectQUBO(k="fdr", groups=groups).fit(X, y)
    chance = selector.result_.chance
    assert selector.support_[[0, 10, 1, 2, 3, 4]].all()
    assert not selector.support_[[11, 12]].any()
    for group in groups:
        assert np.unique(chance.q_values[group]).size == 1
    units = [*groups, *([i] for i in range(50) if i not in {0, 10, 11, 12, 1, 2})]
    q_values = adjusted(np.array([simes(chance.p_values[unit]) for unit in units]))
    for unit, q_value in zip(units, q_values, strict=True):
        assert chance.q_values[unit] == pytest.approx(q_value)


def test_constant_features_are_not_tested():
    X, y = some_table()
    more = np.column_stack([X, np.ones((300, 50))])
    one, other = (SelectQUBO(k="fdr").fit(table, y).result_.chance for table in (X, more))
    np.testing.assert_array_equal(other.q_values[:50], one.q_values)
    assert (other.p_values[50:] == 1.0).all()


def test_any_measure_has_p_values():
    X, y = some_table()
    for measure in (importance.Correlation(), importance.FStatistic(), importance.MutualInformation(20)):
        selector = SelectQUBO(k="fdr", importance=measure).fit(X, y)
        assert selector.support_[:5].all()
        assert selector.support_.sum() <= 7


def test_a_low_rate_is_given_as_many_shuffles_as_it_needs():
    X, y = some_table(strength=2.0)
    assert SelectQUBO(k="fdr", fdr=0.005).fit(X, y).support_[:5].all()
    assert SelectQUBO(fdr=0.005, k="fdr").fit(X, y).p_values_.min() == 1 / (1 + 50 * 1000)


def test_twins_find_what_there_is_and_need_one_over_the_rate():
    X, y = some_table(useful=20)
    selector = SelectQUBO(k="fdr", fdr=search.Twins(0.1)).fit(X, y)
    assert selector.support_[:20].sum() >= 18
    assert selector.support_.sum() <= 25
    assert selector.p_values_ is None
    with pytest.raises(ValueError, match="no feature passes"):
        SelectQUBO(k="fdr", fdr=search.Twins(0.1)).fit(*some_table(useful=5))


def test_twins_are_the_features_shuffled_and_groups_add_up():
    X, y = some_table(useful=20)
    table, target, measure = as_table(X), as_target(y), importance.MutualInformation()
    lead = measure(table, target) - measure(table.shuffled(3), target)
    found = search.Twins(0.1, seed=3)(measure, table, target, Constraints.of(65))
    np.testing.assert_array_equal(found.q_values, knockoff_rates(lead))
    grouped = search.Twins(0.1, seed=3)(measure, table, target, Constraints.of(65, groups=[[0, 64]]))
    together = knockoff_rates(np.array([lead[0] + lead[64], *lead[1:64]]))
    np.testing.assert_allclose(grouped.q_values, [*together, together[0]])


def test_chi_square_needs_no_shuffles_and_is_refused_where_it_is_not_known_to_hold():
    X, y = some_table(strength=2.0)
    rule = search.BenjaminiHochberg(0.1, null="chi-square")
    selector = SelectQUBO(k="fdr", fdr=rule).fit(X, y)
    assert selector.support_[:5].all()
    assert selector.p_values_.min() < 1e-20
    with pytest.raises(ValueError, match=r"null='chi-square'.*Correlation"):
        SelectQUBO(k="fdr", fdr=rule, importance=importance.Correlation()).fit(X, y)
    with pytest.raises(ValueError, match=r"null='chi-square'.*weights"):
        SelectQUBO(k="fdr", fdr=rule).fit(X, y, np.arange(1, 301))


def test_a_rule_of_ones_own_may_say_what_passes():
    X, y = some_table()

    def strongest(measure, table, target, constraints):
        return Chance(np.where(measure(table, target) > 0.1, 0.0, 1.0), 0.5)

    selector = SelectQUBO(k="fdr", fdr=strongest).fit(X, y)
    np.testing.assert_array_equal(selector.support_, selector.importance_ > 0.1)


def test_a_table_of_very_many_features_can_be_asked():
    X, y = some_table(useful=3, useless=2200, samples=100, strength=3.0)
    selector = SelectQUBO(k=2, fdr=0.1).fit(X, y)
    assert selector.support_[:3].sum() == 2
    assert selector.p_values_.shape == (2203,)


def test_without_a_rate_there_are_no_p_values():
    X, y = some_table()
    assert SelectQUBO(k=3).fit(X, y).p_values_ is None


def test_parts_of_a_rule_are_parameters_and_rules_are_values():
    selector = clone(SelectQUBO(fdr=search.BenjaminiHochberg(0.2))).set_params(fdr__rate=0.05)
    assert selector.fdr == search.BenjaminiHochberg(0.05)
    found = pickle.loads(pickle.dumps(SelectQUBO(k="fdr").fit(*some_table()).result_.chance))
    assert not found.q_values.flags.writeable
    assert found.rate == 0.1


@pytest.mark.parametrize("fdr", [0, 1.5, -0.1, "0.1", True, float("nan")])
def test_a_rate_is_a_number_above_0_and_at_most_1(fdr):
    with pytest.raises(ValueError, match=r"fdr must be .*got"):
        SelectQUBO(k=3, fdr=fdr).fit(*some_table())


@pytest.mark.parametrize(
    ("wrong", "match"),
    [({"rate": 0.0}, "rate"), ({"null": "normal"}, "null.*normal"), ({"shuffles": 2}, "shuffles.*2")],
)
def test_wrong_rules_are_refused(wrong, match):
    with pytest.raises(ValueError, match=match):
        search.BenjaminiHochberg(**wrong)


def test_numbers_of_ones_own_know_no_chance():
    X, y = some_table()
    with pytest.raises(ValueError, match=r"fdr needs an importance.*Precomputed"):
        SelectQUBO(k=3, fdr=0.1, importance=importance.Precomputed(np.ones(50))).fit(X, y)


@pytest.mark.parametrize(
    ("wrong", "match"), [({"fdr": 0.1}, "fdr.*None"), ({"k": "fdr"}, "k must be.*'fdr'")]
)
def test_counts_of_batches_have_no_samples_to_shuffle(wrong, match):
    X, y = some_table()
    with pytest.raises(ValueError, match=match):
        SelectQUBO(**wrong).fit_batches([(X, y)])


def test_a_search_by_scores_takes_no_rate():
    from sklearn.naive_bayes import GaussianNB

    with pytest.raises(ValueError, match=r"selector.*fdr=0\.1"):
        SelectQUBOCV(GaussianNB(), selector=SelectQUBO(fdr=0.1)).fit(*some_table())


def slow_noise(seed, samples=250, features=15, memory=0.95):
    """Return series that have nothing to do with each other, each of which remembers its past."""
    news = np.random.default_rng(seed).normal(size=(samples + 100, features + 1))
    series = lfilter([1.0], [1.0, -memory], news, axis=0)[100:]
    return series[:, :-1], series[:, -1]


def test_shuffles_of_a_series_move_it_along():
    X, y = slow_noise(0, samples=80, features=3)
    measure, rng = importance.MutualInformation(), np.random.default_rng(5)
    rule = search.BenjaminiHochberg(1.0, shuffles=30, seed=5)
    found = SelectQUBO(k=1, fdr=rule, importance=measure, blocks=9).fit(X, y).p_values_
    shifted = [measure(X, np.roll(y, rng.integers(80))) for _ in range(30)]
    np.testing.assert_allclose(found, pooled_p_values(measure(X, y), np.array(shifted)))


def test_noise_that_remembers_its_past_is_found_out_by_blocks_and_not_by_plain_shuffles():
    # Nothing is useful, so whatever passes is false, and the rate is the share of tables in which anything does.
    rule, measure = search.BenjaminiHochberg(0.1, shuffles=30), importance.MutualInformation()
    false = {None: [], 20: []}
    for seed in range(30):
        X, y = slow_noise(seed)
        for blocks, found in false.items():
            table = replace(as_table(X), blocks=blocks)
            found.append(rule(measure, table, as_target(y), Constraints.of(15)).passed.any())
    assert np.mean(false[None]) > 0.9
    assert np.mean(false[20]) < 0.1 + 3 * np.sqrt(0.1 * 0.9 / 30)


def test_a_series_that_leads_another_passes_by_blocks():
    X, y = slow_noise(3, samples=800)
    selector = SelectQUBO(k="fdr", blocks=40).fit(X, y + 3 * X[:, 4] + 3 * X[:, 7])
    assert selector.support_[[4, 7]].all()
    assert selector.support_.sum() <= 4


def test_how_many_are_enough_is_not_misled_by_slow_noise():
    X, y = slow_noise(1)
    assert SelectQUBO(k="auto", blocks=20).fit(X, y).k_ < SelectQUBO(k="auto").fit(X, y).k_


@pytest.mark.parametrize("blocks", [1, 126, 2.5, True, "week"])
def test_blocks_are_at_least_two_samples_and_at_most_half_of_them(blocks):
    with pytest.raises(ValueError, match="blocks must be an integer from 2 to 125, got"):
        SelectQUBO(k=1, blocks=blocks).fit(*slow_noise(0))


def test_a_formula_for_independent_samples_refuses_blocks():
    rule = search.BenjaminiHochberg(0.1, null="chi-square")
    with pytest.raises(ValueError, match=r"chi-square.*got blocks=20: use null='shuffles'"):
        SelectQUBO(k="fdr", fdr=rule, blocks=20).fit(*slow_noise(0))
