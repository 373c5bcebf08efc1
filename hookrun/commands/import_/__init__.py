"""An agent's own settings as manifests and scripts of hookrun: planned first, then written whole."""

from __future__ import annotations

from hookrun.commands.import_.plan import Import, Note, import_document, plan_import, write_import

__all__ = ["Import", "Note", "import_document", "plan_import", "write_import"]
