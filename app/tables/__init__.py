"""Read users' tables: the bytes of a file become series, questions, or an error.

``read.py`` runs all steps; each other module is one of them. What a table leaves open is asked,
never guessed.
"""
