"""Small data sets of the paper, to try the library with. All functions return a :class:`Dataset`.

=====================  =======  ========  =======  ==============================================
function               samples  features  classes  origin
=====================  =======  ========  =======  ==============================================
``load_ionosphere``        351        34        2  shipped with the package
``make_synth``          10 000        10        2  generated; the informative features are known
``make_waveform``        5 000        21        3  generated; the informative features are known
=====================  =======  ========  =======  ==============================================

All of them take ``return_X_y=True``, which gives the pair ``(X, y)`` as in scikit-learn.
"""

from .dataset import Dataset
from .generated import make_synth, make_waveform
from .shipped import load_ionosphere

__all__ = ["Dataset", "load_ionosphere", "make_synth", "make_waveform"]
