"""Attempts on the dashboard and on keys over HTTP, by what is attacked.

- Sessions (fixation, replay, forged cookies): test_sessions, ../test_cookies.
- Forms (CSRF, other sites, other methods, viewers): test_forms, ../test_access.
- Other accounts, odd ids: test_other_accounts, ../../api/keys/test_access.
- Guessing, distinguishing members from others, passwords: test_sign_in, ../test_sign_in.
- Links, and what happens at once: test_links.
- Markup, formulas, open redirects: test_output.
- Framing, caching, an unavailable database: test_headers.
- Forged responses of an identity provider: ../test_oidc_attacks.
- Secrets in logs and databases: tests/integration/test_dashboard_secrets.
"""
