"""The site in front of the service, for nginx."""
