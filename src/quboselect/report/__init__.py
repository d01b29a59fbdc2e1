"""One HTML page of what was selected and why, and our subset beside those of the baselines."""

TITLE = "Feature selection by quboselect"
