"""The four models: recipes of members, and the code that runs them."""
