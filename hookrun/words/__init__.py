"""The vocabulary: names, errors, tables and frozen values. Imports nothing else of hookrun."""
