"""Members: the people of an account, how they sign in, and where they are signed in."""
