"""The pages of the account: overview, members, sign-in, webhooks, audit."""
