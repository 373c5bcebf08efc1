"""The command line, one file a command group; the only importer of typer."""
