"""Proofs: a bound on the minimum of a QUBO, and its certificate.

::

    QUBO ─► relaxation ─► dual ─► settled bits ─► smaller QUBO ─┐
               ▲                                                │ until nothing is left, or branch
               └────────────────────────────────────────────────┘

`relaxation` gives a bound that holds at any iterate, by `projection` along `eigen` vectors; on a few bits first, the
`core`, which `growth` carries over to more and `outside` closes. `cuts` tighten it, `settling` fixes bits by it, `tree`
branches on what is left, `certificate` keeps why, and `verify` checks that with code of its own: by `trace` what cheap
bounds close, by `copies` what repeats, by `neighbours` what a list of the best leaves to be looked at.
"""

from .certificate import Apart, Certificate
from .tree import Progress, Proof, prove
from .verify import verify

__all__ = ["Apart", "Certificate", "Progress", "Proof", "prove", "verify"]
