"""What every package above may use; of those below it uses none."""
