"""What the service tells of itself: its metrics, counts that processes share, a line a request."""
