"""Scripts and styles of the pages: the project's own and those of vendors.

An asset's URL carries the version of what it belongs to, so that browsers keep it for good and
never mix two releases. It is compressed once in each process.
"""

import functools
import gzip
import hashlib
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

FOLDER = Path(__file__).parent
_VERSION_CHARACTERS = 12
_COMPRESSION_LEVEL = 6
ASSET_MEDIA_TYPES = {
    ".css": "text/css",
    ".csv": "text/csv",
    ".json": "application/json",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class AssetCollection:
    """Files that are served under one version; ``files`` maps their names in URLs to paths."""

    version: str
    files: dict[str, Path]


@dataclass(frozen=True)
class CompressedFile:
    """A file in gzip, which almost every browser accepts; ``digest`` is of its plain content."""

    content: bytes
    digest: str


def _folder_collection(folder: Path) -> AssetCollection:
    """Return the files of a folder that are served, not licences; the version is their digest."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in ASSET_MEDIA_TYPES)
    files = {path.relative_to(folder).as_posix(): path for path in paths}
    digest = hashlib.sha256()
    for name, path in files.items():
        digest.update(f"{name}\0".encode() + path.read_bytes())
    return AssetCollection(digest.hexdigest()[:_VERSION_CHARACTERS], files)


_PLOTLY = distribution("plotly")  # found without importing the package
_PLOTLY_SCRIPT = Path(str(_PLOTLY.locate_file("plotly/package_data/plotly.min.js")))
COLLECTIONS: dict[str, AssetCollection] = {
    "pages": _folder_collection(FOLDER / "static"),
    "plotly": AssetCollection(_PLOTLY.version, {_PLOTLY_SCRIPT.name: _PLOTLY_SCRIPT}),
    "scalar": _folder_collection(FOLDER / "vendor/scalar"),
}


def find_asset(collection: str, name: str) -> Path | None:
    """Return the file ``name`` of a collection, or None when there is none."""
    assets = COLLECTIONS.get(collection)
    return assets.files.get(name) if assets else None


def compress(content: bytes) -> bytes:
    return gzip.compress(content, _COMPRESSION_LEVEL, mtime=0)


@functools.cache
def compress_asset(path: Path) -> CompressedFile:
    plain = path.read_bytes()
    return CompressedFile(compress(plain), hashlib.sha256(plain).hexdigest())
