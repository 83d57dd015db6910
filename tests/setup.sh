#!/bin/sh
# Install by apt what the tests and `make check` want and this machine lacks: tests/setup.sh
# It needs root or sudo. Without them it names the packages and succeeds: the tests that need them
# are skipped.
set -eu

# A file, looked for among the programs and libraries of the system, and the package that has it.
files='
initdb                   postgresql
redis-server             redis-server
nginx                    nginx
chromium                 chromium
curl                     curl
openssl                  openssl
git                      git
make                     make
tsc                      node-typescript
systemd-analyze          systemd
prometheus               prometheus
promtool                 prometheus
prometheus-alertmanager  prometheus-alertmanager
victoria-metrics         victoria-metrics
libatomic.so.1           libatomic1
'

is_here() {
    for folder in $(echo "$PATH" | tr : ' ') /usr/sbin /usr/lib/postgresql/*/bin /usr/lib/*-linux-gnu*; do
        [ ! -e "$folder/$1" ] || return 0
    done
    return 1
}

missing=$(echo "$files" | while read -r file package; do
    [ -z "$file" ] || is_here "$file" || echo "$package"
done | sort -u | tr '\n' ' ')
python3 -c 'import ensurepip' 2> /dev/null || missing="${missing}python3-venv"
missing=${missing% }
hosts=''
getent ahosts localhost > /dev/null || hosts=missing
[ -n "$missing$hosts" ] || exit 0

# Without a terminal nobody can type a password.
if [ "$(id -u)" = 0 ]; then
    as_root=''
elif command -v sudo > /dev/null && { [ -t 0 ] || sudo -n true 2> /dev/null; }; then
    as_root=sudo
else
    as_root=none
fi
give_up() {
    echo "Not installed, so the tests that need them are skipped: $missing${hosts:+ (and localhost in /etc/hosts)}"
    exit 0
}
[ "$as_root" != none ] && command -v apt-get > /dev/null || give_up

echo "Installing what the tests want${as_root:+, with sudo}:${missing:+ $missing}${hosts:+ localhost in /etc/hosts}."
[ -z "$hosts" ] || echo '127.0.0.1 localhost' | $as_root tee -a /etc/hosts > /dev/null || give_up
[ -n "$missing" ] || exit 0

# Tests start servers of their own: those of the packages are neither started now nor at the next boot.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    trap '$as_root rm -f $policy' EXIT
    printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy > /dev/null && $as_root chmod +x $policy || give_up
fi
# shellcheck disable=SC2086  # a list of packages
$as_root env DEBIAN_FRONTEND=noninteractive sh -c \
    'apt-get -qq update && apt-get -qq install --yes --no-install-recommends "$@" > /dev/null' sh $missing || give_up
for package in $missing; do
    $as_root systemctl disable --quiet "$package" 2> /dev/null || true
done
