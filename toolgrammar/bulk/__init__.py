"""Reads many messages: files and datasets in several processes, and steps for fleets.

`toolgrammar.batch` is the way in; this package names what it gives back.
"""

from __future__ import annotations

from toolgrammar.bulk.runs.reports import BadRow, BatchReport

__all__ = ["BadRow", "BatchReport"]
