"""The engine processes, separate from web workers: named jobs with limits on time and memory."""
