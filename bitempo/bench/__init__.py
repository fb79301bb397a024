"""Benchmarks that anyone can run on their own copy of a public data set."""
