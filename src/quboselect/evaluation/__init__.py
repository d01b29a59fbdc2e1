"""What a selection is worth: cross-validation and stability."""
