"""Fusion: several blind analyses of a decision, one evaluation of them, one merged report. It explains and decides nothing."""
