"""The engine processes: named jobs computed in bounded time and memory, beside the web workers."""
