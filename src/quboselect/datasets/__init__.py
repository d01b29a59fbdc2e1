"""The data sets of the paper. Nothing flows in but a seed; a :class:`Dataset` flows out.

=====================  =======  ========  =======  ====================================================
function               samples  features  classes  where it comes from
=====================  =======  ========  =======  ====================================================
``load_ionosphere``        351        34        2  shipped with the package
``make_synth``          10 000        10        2  generated; which features inform is known
``make_waveform``        5 000        21        3  generated; the recipe behind ``fetch_waveform``
``fetch_waveform``       5 000        21        3  a folder of yours, or OpenML 60
``fetch_madelon``        2 000       500        2  a folder of yours, or OpenML 1485; 20 features inform
``fetch_mnist``         70 000       784       10  a folder of yours, or OpenML 554
=====================  =======  ========  =======  ====================================================

The ``fetch`` functions look into the folder named by the environment variable ``QUBOSELECT_DATA`` before they
go online, and raise :class:`~quboselect.errors.DatasetUnavailable` where neither has the data. All six take
``return_X_y=True``, which gives the pair ``(X, y)`` as in scikit-learn.
"""

from .dataset import Dataset
from .fetched import fetch_madelon, fetch_mnist, fetch_waveform
from .generated import make_synth, make_waveform
from .shipped import load_ionosphere

__all__ = [
    "Dataset",
    "fetch_madelon",
    "fetch_mnist",
    "fetch_waveform",
    "load_ionosphere",
    "make_synth",
    "make_waveform",
]
