"""What an endpoint is: its declaration, schemas from records, dialects of other vendors."""
