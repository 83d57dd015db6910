"""Parts of patterns for years: of this and the last century, and what is before fiscal ones."""

import re

MODERN_YEAR = r"(?:19|20)\d{2}"
FULL_YEAR = re.compile(MODERN_YEAR, re.ASCII)
FOUR_DIGITS = re.compile(r"\d{4}", re.ASCII)
# Before a fiscal year: FY, Geschäftsjahr, Fiskaljahr, ejercicio.
FISCAL_PREFIX = "(?:fy|gj|fj|ej)"
