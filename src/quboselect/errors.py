"""The exceptions and warnings. Nothing flows in; every other module may raise what stands here.

::

    Exception
    ├── AssertionError
    │   └── Refuted             a certificate does not prove what it is said to prove
    ├── OSError
    │   └── DatasetUnavailable  a data set is neither on this machine nor within reach
    └── UserWarning
        └── OffPathWarning      no alpha makes a subset of the wanted size optimal

Wrong arguments are plain ``ValueError`` and ``TypeError``: what was expected, what came, what to do.
"""


class DatasetUnavailable(OSError):
    """A data set is neither on this machine nor within reach."""


class Refuted(AssertionError):
    """A certificate does not prove what it is said to prove."""


class OffPathWarning(UserWarning):
    """No alpha makes a subset of the wanted size optimal; the best subset of that size was returned."""
