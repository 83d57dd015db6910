"""Read tables in JSON, in each of the forms that programs write."""
