"""GitHub behind the port Forge, through PyGithub, which nothing else imports."""
