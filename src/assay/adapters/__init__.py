"""Everything impure: git, processes, folders, the machine, the terminal."""
