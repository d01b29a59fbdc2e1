"""``python -m quboselect``: the command, where its script is not on the path."""

from .cli import main

main()
