"""Where hooks come from, one file a kind of place; each turns a place into hooks and problems."""
