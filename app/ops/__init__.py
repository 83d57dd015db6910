"""What an operator runs: commands, setup, backups, metrics, batches."""
