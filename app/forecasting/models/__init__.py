"""The four models: short declarative recipes over members."""
