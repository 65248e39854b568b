"""The NVIDIA cards of this box: which there are, what they do while a process runs, and their clocks."""
