"""Sources: servers with Prometheus' API, the queries that they are asked, and alerts from them.

Each series that a query returns is a monitor; a worker feeds it.
"""
