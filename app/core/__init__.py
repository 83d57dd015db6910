"""Code that all other packages use; it imports none of them."""
