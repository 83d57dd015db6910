"""HTTP with servers that others name: checked addresses, bounded bytes, a deadline."""
