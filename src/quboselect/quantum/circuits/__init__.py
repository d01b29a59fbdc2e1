"""Circuits with parameters, and the loop that optimises them for a QUBO.

::

    QUBO ─► ansatz ─► backend ─► shots ─► objective ─┐
              ▲                                      │ optimiser
              └───────────── parameters ◄────────────┘

`ansatz` names the gates, `backends` runs them by our own simulator, `qiskit` by any sampler of Qiskit's, `optimisers`
choose the parameters, and `loop` closes the circle. `quantum.VQE` and `quantum.QAOA` are made of these.
"""

from . import qiskit
from .ansatz import Alternating, Ansatz, Gate, TwoDesign, tilts
from .backends import Backend, Statevector
from .loop import cvar, variational
from .optimisers import COBYLA, SPSA, Found, Optimiser
from .starts import Ramp, mean_field, uniform

__all__ = [
    "COBYLA",
    "SPSA",
    "Alternating",
    "Ansatz",
    "Backend",
    "Found",
    "Gate",
    "Optimiser",
    "Ramp",
    "Statevector",
    "TwoDesign",
    "cvar",
    "mean_field",
    "qiskit",
    "tilts",
    "uniform",
    "variational",
]
