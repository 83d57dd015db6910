"""Engine processes, separate from web workers: they run jobs with limits on time and memory."""
