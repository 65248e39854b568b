"""The order of work: one short function a stage, over ports alone."""
