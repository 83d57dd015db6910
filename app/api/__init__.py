"""Everything HTTP: who calls, what they sent, the blueprints, and the one shape of every error."""
