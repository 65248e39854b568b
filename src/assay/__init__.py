"""Assay: decides on evidence whether a change made a benchmark better."""

__version__ = "0.1.0"
