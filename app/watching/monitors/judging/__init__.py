"""Judge points without SQL: the index of each timestamp, verdicts, and the events of alerts."""
