"""The queue of jobs: what `queue.json` holds, and what may become of it."""
