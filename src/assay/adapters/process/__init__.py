"""Running processes on this box: a supervisor for each, bounded capture, claims, and the account a child runs as."""
