"""One HTML page of what was selected and why."""
