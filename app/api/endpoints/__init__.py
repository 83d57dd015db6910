"""What an endpoint is: its declaration, the decorator that serves it, resources, dialects."""
