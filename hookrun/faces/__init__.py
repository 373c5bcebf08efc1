"""What people see of the engine besides a fired event: reports, lint, templates, widgets, watching."""
