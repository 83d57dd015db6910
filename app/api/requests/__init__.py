"""What clients send: the fields and bases of the schemas that read it."""
