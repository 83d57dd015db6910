"""Find where the data of a table end and plans, or dates still to come, begin."""
