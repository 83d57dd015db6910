"""People's tables read: a file's bytes become series, questions, or the reason why not.

Pure Python over pandas: no Flask, SQL or HTTP. ``read.py`` is the way through; each other module is
one step of it. What the table leaves open is asked, never guessed.
"""
