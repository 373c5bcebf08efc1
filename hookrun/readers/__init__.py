"""Text and settings in, values out: the floor that knows files, spellings and dialects."""
