"""The four models: recipes over members, and how they are followed."""
