"""The core: time, model, timeline, policy and the stores. Knows no model, HTTP or framework."""
