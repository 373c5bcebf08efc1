"""How hooks are run, one file a kind: they return what happened and never read an answer."""
