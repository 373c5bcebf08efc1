"""Trust: what of a project the user has seen and let run. Kept by content, in the user's state folder."""

from __future__ import annotations

from hookrun.trust.trust import NO_NEED, REFERENCE, Checked, Trust

__all__ = ["NO_NEED", "REFERENCE", "Checked", "Trust"]
