"""The two sides of a check on disk: commits laid out in folders of our own, with inputs, caches and environments of their own."""
