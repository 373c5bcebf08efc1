"""What is wrong with the hooks of a place, found without running any (check.py), and fixed (fix.py)."""
