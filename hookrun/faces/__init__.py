"""What commands compute before they print: answers to agents, reports, lint, templates, widgets, watching."""
