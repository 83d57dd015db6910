#!/bin/bash
# From a checkout on a bare Debian 12 or 13 or Ubuntu 24.04 to forecasts over HTTPS, or from an older
# release to this one. As root, in the checkout:
#
#   deploy/install.sh NAME [EMAIL] [options of `forecast-service setup`]
#
# It builds a release and hands over to `forecast-service setup`. Repeated it changes nothing; after a
# failure the same command continues. --dry-run only prints the commands.
set -euo pipefail

source=$(readlink -f "$(dirname "$0")/..")
home=/opt/forecast-service
settings=/etc/forecast-service/environment
step='the start' dry_run=''
for word in "$@"; do [ "$word" != --dry-run ] || dry_run=1; done

run() {
    if [ -n "$dry_run" ]; then echo "would run: $*"; else "$@"; fi
}
fail() {
    echo "Error: $1" >&2
    exit 1
}
is_ready() {
    curl --silent --fail --max-time 5 --output /dev/null \
        --unix-socket /run/forecast-service/gunicorn.sock http://localhost/readyz
}
say_where() {
    local status=$?
    [ "$status" = 0 ] || echo "It failed at: $step. Run the same command again once the cause is gone." >&2
}

[ $# -gt 0 ] || { sed -n '2,8s/^# \?//p' "$0"; exit 2; }
[ -n "$dry_run" ] || [ "$(id -u)" = 0 ] || fail "the installation needs root; run it with sudo"
[ -x /usr/bin/apt-get ] || fail "this is neither Debian nor Ubuntu; docs/running/by-hand.md has the steps"
trap say_where EXIT

step='packages'
missing=()
for package in ca-certificates certbot curl make nginx openssl python3-venv; do
    dpkg -s "$package" > /dev/null 2>&1 || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    run apt-get update --quiet
    run env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes "${missing[@]}"
fi
[ -n "$dry_run" ] || python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
    || fail "the service needs Python 3.11, and this system has $(python3 --version); use the container"

step='release'
# Named by its contents: a second run finds the finished folder and builds nothing.
parts=(app deploy docs migrations nginx CHANGELOG.md Makefile requirements.txt wsgi.py .flaskenv)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$source/pyproject.toml")
digest=$(cd "$source" && find "${parts[@]}" -type f -not -name '*.pyc' -print0 | LC_ALL=C sort -z \
    | xargs -0 sha256sum | sha256sum | cut -c1-8)
release=$home/releases/$version-$digest
if [ ! -e "$release/complete" ]; then
    run rm -rf "$release"
    run mkdir -p "$release"
    (cd "$source" && run cp -r "${parts[@]}" "$release/")
    run make --silent --directory "$release" install
    run "$release/.venv/bin/python" -m compileall -q -q "$release/app" "$release/.venv/lib"
    run ln -sfn $settings "$release/.env" # for `flask` in this folder
    run touch "$release/complete"
fi

step='database'
before=$(readlink "$home/current" || true)
if [ -e "$settings" ] && [ -n "$before" ] && [ "$before" != "$release" ]; then
    # Migrations only add: the release before runs meanwhile, and after a way back.
    run "$release/.venv/bin/forecast-service" backups create /var/backups/forecast-service --keep 14
    run "$release/.venv/bin/forecast-service" db upgrade
fi

step='units'
if [ "$before" != "$release" ]; then
    run ln -sfn $home/current/.venv/bin/forecast-service /usr/local/bin/forecast-service
    run install -m 0644 "$release"/deploy/systemd/* /etc/systemd/system/
    # Of release 1.1.
    [ ! -e /etc/systemd/system/forecast-service-webhooks.service ] \
        || run systemctl disable --quiet --now forecast-service-webhooks.service
    run rm -f /etc/systemd/system/forecast-service-webhooks.service
    run systemctl daemon-reload
    run ln -sfn "$release" $home/current # last: a second run looks at it
fi

step='setup'
[ -n "$dry_run" ] && [ ! -e "$release/complete" ] && { run forecast-service setup "$@"; exit; }
status=0
$home/current/.venv/bin/forecast-service setup "$@" || status=$?
if [ "$status" != 0 ] && [ -n "$before" ] && [ "$before" != "$release" ] && [ -z "$dry_run" ] && ! is_ready; then
    ln -sfn "$before" $home/current
    install -m 0644 "$before"/deploy/systemd/* /etc/systemd/system/
    systemctl daemon-reload
    systemctl restart forecast-service.service
    echo "The release before, $(basename "$before"), runs again; the database is unharmed." >&2
fi
exit $status
