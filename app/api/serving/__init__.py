"""Serve requests, before and after the view: paths, ids, bodies, the decorator, errors, the log."""
