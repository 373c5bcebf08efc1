"""How decisions are written for agents: what is the same for all, driven by their tables."""
