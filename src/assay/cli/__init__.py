"""The composition root: reads argv and environment, builds adapters, maps errors to exit codes."""
