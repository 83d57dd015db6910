# PostgreSQL and Redis at $ADDRESS, in the private network of the nodes, and the settings that name them.
apt-get -qq install --yes postgresql redis-server
cd /etc/postgresql/*/main
echo "listen_addresses = 'localhost, $ADDRESS'" > conf.d/nodes.conf
echo "host forecast forecast $ADDRESS/24 scram-sha-256" >> pg_hba.conf
systemctl restart postgresql
password=$(openssl rand -hex 24)
su postgres -c 'psql --quiet --set=ON_ERROR_STOP=1' <<END
create role forecast login password '$password';
create database forecast owner forecast;
END
sed -i "s/^bind .*/bind 127.0.0.1 $ADDRESS/; s/^protected-mode yes/protected-mode no/" /etc/redis/redis.conf
systemctl restart redis-server
sed -i /^DATABASE_URL=/d "$SETTINGS"
cat >> "$SETTINGS" <<END
DATABASE_URL=postgresql://forecast:$password@$ADDRESS/forecast
REDIS_URL=redis://$ADDRESS:6379/0
END
