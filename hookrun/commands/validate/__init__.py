"""What is wrong with the hooks of a place, found without running any (check.py), and mended (fix.py)."""
