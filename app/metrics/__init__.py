"""What Prometheus is told: the table of metrics, and counts that several processes share."""
