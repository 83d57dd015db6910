"""Pages in a browser: the playground, and the dashboard of an account."""
