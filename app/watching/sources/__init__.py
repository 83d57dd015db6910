"""Sources: servers with Prometheus' API, their queries, and the alerts.

Each series that a query returns is a monitor; a worker feeds it.
"""
