"""hookrun finds, fires and decides the hooks of coding agents."""

__version__ = "0.1.0"
