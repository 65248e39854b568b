"""Cells as jobs of Slurm: sent through submitit, followed by Slurm's own commands."""
