"""HTTP requests to untrusted servers: checked addresses, bounded sizes, a deadline."""
