"""Cells on another machine, by OpenSSH and rsync: nothing has to be installed there but a shell, git and a Python with our dependencies."""
