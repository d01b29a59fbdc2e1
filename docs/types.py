"""Types of parameters as the docstrings write them. mkdocstrings calls this.

It reads a type as Python where it can, and ``"auto", "fdr" or int`` can be read as Python: the quotes would be lost.
"""

import re
from typing import Any

import griffe

WRITTEN = re.compile(r"^(\w+(?:, \w+)*) : (.*\".*)$", re.MULTILINE)


class WrittenTypes(griffe.Extension):
    """Keeps every type that has quotes as it is written."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Parse the docstring of an object, and put its types back."""
        if obj.docstring is None or not (written := dict(WRITTEN.findall(obj.docstring.value))):
            return
        sections = obj.docstring.parse("numpy", warnings=False)
        for section in sections:
            for item in section.value if isinstance(section.value, list) else []:
                if (name := getattr(item, "name", None)) in written:
                    item.annotation = re.sub(r", (optional|default\b.*)$", "", written[name])
        obj.docstring.__dict__["parsed"] = sections
