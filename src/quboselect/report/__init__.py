"""One HTML page of what was selected and why, and the selection beside those of other methods.

::

    Result ─► exploration ─► Contents ─► words, tables, template and scripts ─► page
                  ├─► sizes (the best of each size over alpha)
                  └─► comparison
"""

from .code import code_of, unit_of
from .page import TITLE, write_report

__all__ = ["TITLE", "code_of", "unit_of", "write_report"]
