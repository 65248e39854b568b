"""Attempts at a benchmark: how many a stage may take, what every fifth asks, and when it is time to stop."""
