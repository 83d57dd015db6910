"""The parts that all pages share, also the dashboard's: assets, `base.html` and its navigation."""

from flask import Blueprint, Response, abort, current_app, make_response, request, url_for

from app.web.pages.assets import ASSET_MEDIA_TYPES, COLLECTIONS, compress_asset, find_asset
from app.web.pages.security import add_security_headers

blueprint = Blueprint("assets", __name__, template_folder="templates")
blueprint.after_request(add_security_headers)

# The pages that every page links to, by endpoint.
NAVIGATION = {
    "pages.playground": "Playground",
    "pages.docs": "API reference",
    "pages.errors": "Errors",
}
_ACCOUNT = {"dashboard.overview": "Account"}
_CACHE_FOREVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"


@blueprint.get("/static/<collection>/<version>/<path:name>")
def asset(collection: str, version: str, name: str) -> Response:
    path = find_asset(collection, name)
    if path is None:
        abort(404)
    compressed = compress_asset(path)
    is_gzipped = request.accept_encodings["gzip"] > 0
    response = make_response(compressed.content if is_gzipped else path.read_bytes())
    response.mimetype = ASSET_MEDIA_TYPES[path.suffix]
    response.vary.add("Accept-Encoding")
    if is_gzipped:
        response.content_encoding = "gzip"
    response.set_etag(f"{compressed.digest}-gzip" if is_gzipped else compressed.digest)
    # During a rolling upgrade a node may get a request for the version of another node.
    is_current = version == COLLECTIONS[collection].version
    response.headers["Cache-Control"] = _CACHE_FOREVER if is_current else REVALIDATE
    response.make_conditional(request)
    return response


@blueprint.app_template_global()
def asset_url(collection: str, name: str) -> str:
    version = COLLECTIONS[collection].version
    return url_for("assets.asset", collection=collection, version=version, name=name)


@blueprint.app_template_global()
def navigation() -> list[tuple[str, str]]:
    """Return the endpoint and title of the pages in the header, without those that are off."""
    served = current_app.view_functions
    return [(name, title) for name, title in (NAVIGATION | _ACCOUNT).items() if name in served]
