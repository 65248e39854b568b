"""The control loop: what should be measured next, by whom, and what of it is public already. Pure, with `now` passed in."""
