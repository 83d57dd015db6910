"""Who calls, and how much they may: accounts, keys, members, limits and usage."""
