#!/bin/bash
# Build the package for the release of Debian or Ubuntu that this runs on: deploy/deb/build.sh [FOLDER]
# As any user. pip fetches the libraries, by the hashes in requirements.txt.
set -euo pipefail
folder=$(realpath -m "${1:-dist}")
here=$(realpath "$(dirname "$0")")
cd "$here/../.."

fail() {
    echo "$1" >&2
    exit 1
}
# Debian's own Python, by the name of its version: the package depends on that, not on `python3`.
python=$(readlink -f /usr/bin/python3)
command -v dpkg-deb > /dev/null || fail "dpkg-deb is missing: build on Debian or Ubuntu"
$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$python is older than 3.11: build on Debian 12, Ubuntu 24.04 or newer, or use the container"
$python -c 'import ensurepip' || fail "venv is missing: apt-get install python3-venv"
# shellcheck source=/dev/null
. /etc/os-release
version=$($python -c 'import tomllib; print(tomllib.load(open("pyproject.toml", "rb"))["project"]["version"])')
version=$version~$ID${VERSION_ID:?}
architecture=$(dpkg --print-architecture)
minor=$($python -c 'import sys; print("%d.%d" % sys.version_info[:2])')

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 0755 "$work"
home=$work/tree/opt/forecast-service/packaged
mkdir -p "$home" "$work/source"

# Only what the package has: what an earlier build has left in the checkout is no part of it.
cp -r app migrations nginx wsgi.py pyproject.toml README.md LICENSE "$work/source/"
$python -m venv "$home/.venv"
pip=("$home/.venv/bin/python" -m pip --quiet --disable-pip-version-check)
"${pip[@]}" install --no-compile --require-hashes --requirement requirements.txt
"${pip[@]}" install --no-compile --no-deps "$work/source"
deploy/trim.sh "$home/.venv"
# What only some forecasts load, and what has most of the libraries below it.
"$home/.venv/bin/python" -B -c 'import pmdarima'

# What the pages and the units name: documents, the example of the first request, dashboards
cp -r --parents docs/running docs/using docs/examples deploy/grafana deploy/prometheus CHANGELOG.md "$home/"
units=$work/tree/usr/lib/systemd/system documents=$work/tree/usr/share/doc/forecast-service
mkdir -p "$units" "$documents" "$work/tree/usr/bin" "$work/tree/DEBIAN"
install -m 0644 deploy/systemd/* "$units/"
install -m 0644 LICENSE "$documents/copyright"
gzip -9 --no-name --stdout CHANGELOG.md > "$documents/changelog.gz"
ln -s /opt/forecast-service/current/.venv/bin/forecast-service "$work/tree/usr/bin/forecast-service"

install -m 0755 "$here/postinst" "$here/prerm" "$here/postrm" "$work/tree/DEBIAN/"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@PYTHON@/python$minor/" \
    -e "s/@SIZE@/$(du --summarize --block-size=1K "$work/tree" | cut -f1)/" \
    -e "s|@BUILT_FOR@|$PRETTY_NAME|" "$here/control" > "$work/tree/DEBIAN/control"
chmod -R u=rwX,go=rX "$work/tree"
mkdir -p "$folder"
package=$folder/forecast-service_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zzstd "-z${DEB_LEVEL:-12}" --build "$work/tree" "$package" > /dev/null
echo "$package"
