"""Suggests the word that was meant."""
