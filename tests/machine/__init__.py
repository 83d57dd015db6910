"""The whole way of an installation, on a machine with systemd: ``make machine-test``."""
