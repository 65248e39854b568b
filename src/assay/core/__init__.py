"""Pure decisions and formats: no clock, no files, no processes, no chance."""
