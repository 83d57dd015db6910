"""What happens before and after a view: paths, ids, bodies, its decorator, errors, the log."""
