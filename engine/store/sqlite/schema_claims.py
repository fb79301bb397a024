"""Who works on a window that waits: columns that the inbox got later."""

from __future__ import annotations

CLAIMS = """
ALTER TABLE inbox ADD COLUMN claimed_by TEXT;
ALTER TABLE inbox ADD COLUMN claimed_until INTEGER;
"""
"""`claimed_until` is in milliseconds since 1970, by the clock of the machine."""
