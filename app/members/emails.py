"""Email addresses, as they are stored and compared."""


def normalize(email: str) -> str:
    """Return an address as members are found by it: without blanks around, in lower case."""
    return email.strip().lower()
