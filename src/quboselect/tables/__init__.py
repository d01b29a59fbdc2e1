"""Any frame becomes a Table and a Target."""
