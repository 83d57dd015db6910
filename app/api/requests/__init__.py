"""What clients send: paths, queries, headers and bodies, read and checked."""
