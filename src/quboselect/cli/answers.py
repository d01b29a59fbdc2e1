"""The commands that answer about a selection: rank, explain, alternatives, stability and cv."""

from typing import Annotated, Any, Literal

from .messages import Wrong, end_progress, say_notes, show_progress
from .options import (
    OUTPUT,
    SELECTING,
    SOLVING,
    Json,
    Measuring,
    Names,
    NamesOnly,
    Reading,
    Saying,
    Solving,
    Wishes,
    feature_names,
    option,
)
from .tables import answer, check_classical, fitted, print_names, warnings_noted, wished

Model = Literal["linear", "trees"]


def rank(
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    names: NamesOnly = False,
    json: Json = False,
) -> None:
    """Rank all features: those selected first, then those that would enter next."""
    if names and json:
        raise Wrong("give --names or --json, not both.")
    selector, loaded = fitted(reading, wishes, measuring, solving, saying)
    from .documents import ranking

    found = ranking(selector, loaded.features)
    if names:
        print_names([each["name"] for each in found["features"]])
        return
    answer("rank", loaded, wished(wishes, loaded), found, (reading, measuring, solving), json)


def explain(
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    feature: Annotated[
        Names, option("--feature NAMES", "Only these features; all by default.", OUTPUT)
    ] = None,
    json: Json = False,
) -> None:
    """Say why each feature was selected or left out, and what its best exchange would cost."""
    selector, loaded = fitted(reading, wishes, measuring, solving, saying)
    from .documents import reasons

    wanted = feature_names(feature, loaded.features, "--feature", loaded.targets)
    answer(
        "explain",
        loaded,
        wished(wishes, loaded),
        reasons(selector, wanted),
        (reading, measuring, solving),
        json,
    )


def alternatives(
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    count: Annotated[int, option("--count -m INTEGER", "How many subsets.", OUTPUT, min=1)] = 5,
    different: Annotated[
        int,
        option("--different INTEGER", "Features by which each differs from the others.", SELECTING, min=1),
    ] = 2,
    json: Json = False,
) -> None:
    """List the best subsets of that size, each with how much worse it is and what is proven of it."""
    check_classical(solving)
    selector, loaded = fitted(reading, wishes, measuring, solving, saying)
    from .documents import other_subsets

    show_progress("looking for other subsets", quiet=saying.quiet)
    effort = 1.0 if solving.effort is None else solving.effort
    found = selector.alternatives(count, different=different, effort=effort)
    end_progress()
    if found.note:
        loaded.notes.append(found.note)
        say_notes([found.note], quiet=saying.quiet)
    asked = {**wished(wishes, loaded), "different": different}
    answer(
        "alternatives",
        loaded,
        asked,
        other_subsets(found, loaded.features),
        (reading, measuring, solving),
        json,
    )


def stability(
    reading: Reading,
    wishes: Wishes,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    resamples: Annotated[int, option("--resamples INTEGER", "How many resamples.", SOLVING, min=2)] = 50,
    fraction: Annotated[
        float | None,
        option("--fraction NUMBER", "Share of the samples in each; by default a bootstrap.", SOLVING),
    ] = None,
    json: Json = False,
) -> None:
    """Say how often each feature is selected from other samples of the same kind."""
    check_classical(solving)
    if fraction is not None and not 0.0 < fraction < 1.0:
        raise Wrong(f"--fraction must be a number between 0 and 1, got {fraction}.")
    selector, loaded = fitted(reading, wishes, measuring, solving, saying)
    from .documents import stable

    show_progress("selecting from resamples", quiet=saying.quiet)
    how: dict[str, Any] = {"n_resamples": resamples, "fraction": fraction, "seed": solving.seed}
    with warnings_noted([]):  # the fit has told them
        found = selector.stability(loaded.X, loaded.y, **how, n_jobs=solving.n_jobs)
    end_progress()
    asked = {**wished(wishes, loaded), "resamples": resamples, "fraction": fraction}
    answer("stability", loaded, asked, stable(found, loaded.features), (reading, measuring, solving), json)


def cv(
    reading: Reading,
    measuring: Measuring,
    solving: Solving,
    saying: Saying,
    most: Annotated[
        int, option("--most INTEGER", "The largest number of features to try.", SELECTING, min=1)
    ] = 20,
    folds: Annotated[int, option("--folds INTEGER", "Folds of the cross-validation.", SOLVING, min=2)] = 5,
    model: Annotated[
        Model, option("--model", "Linear or logistic regression, or boosted trees.", SOLVING)
    ] = "linear",
    json: Json = False,
) -> None:
    """Find by cross-validation how many features serve a model best, and select them."""
    check_classical(solving)
    if reading.no_target:
        raise Wrong("cv needs a --target, as it scores a model that predicts it: name one, or use select.")
    # At alpha 1 there is nothing to search: it only reads and checks.
    plain, loaded = fitted(reading, Wishes(alpha=1.0), measuring, solving, saying)
    if len(loaded.targets) > 1:
        raise Wrong(f"cv takes one --target, got {len(loaded.targets)}: name one.")
    from .documents import scores
    from .models import cross_validated

    show_progress(f"{folds} folds of up to {most} features", quiet=saying.quiet)
    notes: list[str] = []
    with warnings_noted(notes):
        found = cross_validated(
            plain, loaded.X, loaded.y, most=most, folds=folds, model=model, seed=solving.seed
        )
    end_progress()
    loaded.notes.extend(note for note in notes if note not in loaded.notes)
    say_notes(notes, quiet=saying.quiet)
    asked = {"most": most, "folds": folds, "model": model}
    answer("cv", loaded, asked, scores(found, loaded.features), (reading, measuring, solving), json)
