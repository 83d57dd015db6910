"""What a person sees in a browser: ``/`` playground, ``/watch`` monitors, ``/docs`` the API.

Pages are plain templates, styles and ES modules without a build step; nothing on them comes from
another host. All of it is limited by address, and off with ``PUBLIC_DOCS=0``.
"""

from app.pages.routes import blueprint

__all__ = ["blueprint"]
