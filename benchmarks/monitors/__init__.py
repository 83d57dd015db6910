"""What appends to monitors cost, with a full database."""
