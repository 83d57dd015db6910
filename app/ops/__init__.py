"""What an operator runs: commands, setup, metrics, batches."""
