#!/usr/bin/env bash
# Run once, by the image of Postgres, when its data folder is empty: a database for each service and
# the role that owns it. Nobody else may connect. Passwords are in files named like the role.
set -euo pipefail
passwords=${PASSWORDS_DIR:-/secrets}

for name in auth integrations webhooks; do
  # The backquotes are psql's, so that the password stands in no list of processes; and a failing
  # statement is not logged, because it would be with the password.
  psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 -v name="$name" -v file="$passwords/$name" \
    --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\setenv PASSWORD_FILE :file
\set password `cat "$PASSWORD_FILE"`
set log_min_error_statement = panic;
create role :"name" login password :'password';
-- The reader's fence waits for the oldest open transaction: a forgotten one must not hold it.
alter role :"name" set idle_in_transaction_session_timeout = '10s';
create database :"name" owner :"name";
revoke all on database :"name" from public;
SQL
done

# Prometheus' exporter, where there is one: statistics, and no row of a service.
if [ -f "$passwords/monitoring" ]; then
  psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 -v file="$passwords/monitoring" \
    --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\setenv PASSWORD_FILE :file
\set password `cat "$PASSWORD_FILE"`
set log_min_error_statement = panic;
create role monitoring login password :'password' connection limit 3 in role pg_monitor;
SQL
fi
