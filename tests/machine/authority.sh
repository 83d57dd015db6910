# A certificate authority on the machine itself, which it and certbot trust: Debian's pebble.
apt-get -qq update
apt-get -qq install --yes pebble curl openssl
mkdir -p /etc/pebble /root/.config/letsencrypt
cd /etc/pebble
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2> /dev/null
cat > config.json <<END
{"pebble": {"listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000",
  "certificate": "/etc/pebble/cert.pem", "privateKey": "/etc/pebble/key.pem", "httpPort": 80,
  "tlsPort": 443, "ocspResponderURL": "", "externalAccountBindingRequired": false}}
END
echo "127.0.0.1 $NAME" >> /etc/hosts
# By default pebble rejects every twentieth nonce, and certbot fails at two in a row.
systemd-run --quiet --unit pebble --setenv PEBBLE_VA_NOSLEEP=1 --setenv PEBBLE_WFE_NONCEREJECT=0 \
    pebble -config /etc/pebble/config.json
for _ in $(seq 50); do
    if curl --silent --cacert cert.pem --output /dev/null https://localhost:14000/dir; then break; fi
    sleep 0.2
done
curl --silent --fail --cacert cert.pem https://localhost:15000/roots/0 > /usr/local/share/ca-certificates/pebble-root.crt
cp cert.pem /usr/local/share/ca-certificates/pebble.crt
update-ca-certificates > /dev/null
echo "server = https://localhost:14000/dir" > /root/.config/letsencrypt/cli.ini
