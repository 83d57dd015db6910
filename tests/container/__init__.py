"""Build the container's image and run it: ``make container-test``."""
