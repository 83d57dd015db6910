"""The pages in a browser: ``/`` the playground, ``/docs`` the API.

Pages are plain templates, styles and ES modules without a build step; nothing on them comes from
another host. All of it is limited by address, and off with ``PUBLIC_DOCS=0``; assets and the frame
of a page are the dashboard's too.
"""

from app.web.pages.asset_routes import blueprint as assets
from app.web.pages.routes import blueprint

__all__ = ["assets", "blueprint"]
