"""Analysts: who answers the questions of an analysis. One module a means."""
