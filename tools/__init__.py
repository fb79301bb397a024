"""Programs that the repository is kept with; no part of the package."""
