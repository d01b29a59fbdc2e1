import numpy as np
from figures_models import figures
from ledger import Ledger


def test_nothing_measured_gives_no_figure(tmp_path):
    assert list(figures(tmp_path)) == []


def test_every_figure_is_drawn_from_the_results_alone(tmp_path):
    np.savez(tmp_path / "one_masks.npz", masks=np.arange(7840).reshape(10, 784) % 26 == 0)
    one, two = Ledger(tmp_path / "one.csv"), Ledger(tmp_path / "two.csv")
    for fold in range(2):
        one.add(0.9, dataset="mnist 0", method="QFS", model="small forest", fold=fold, metric="accuracy")
        two.add(0.9, dataset="madelon", method="QFS", model="naive Bayes", k=20, fold=fold, metric="accuracy")
    two.add(1.5, dataset="madelon", method="QFS", metric="selection seconds")
    two.add(3, dataset="madelon", method="QFS", model="ground truth", metric="edit distance")
    two.add(0, dataset="madelon", method="ET ranking", model="ground truth", metric="edit distance")
    two.add(3, dataset="madelon", method="QFS", model="ET ranking", metric="edit distance")
    drawn = dict(figures(tmp_path))
    assert list(drawn) == ["one_masks", "one_accuracies", "two_accuracies", "two_seconds", "two_distances"]
    texts = {text.get_text() for text in drawn["two_distances"].axes[0].texts}
    assert texts == {"QFS", "GT\nET", "3"}
    for figure in drawn.values():
        figure.savefig(tmp_path / "figure.svg")
