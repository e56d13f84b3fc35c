#!/bin/sh
# Run once, when the data directory is made: a database for each service and a role that owns it.
set -eu
database() {
  psql --quiet --set ON_ERROR_STOP=1 --set name="$1" --set password="$2" <<'SQL'
set log_min_error_statement = panic;
create role :"name" login password :'password';
-- The reader's fence waits for the oldest open transaction: a forgotten one must not hold it.
alter role :"name" set idle_in_transaction_session_timeout = '10s';
create database :"name" owner :"name";
revoke all on database :"name" from public;
SQL
}
export PGUSER="$POSTGRES_USER"
database auth "$AUTH_PASSWORD"
database integrations "$INTEGRATIONS_PASSWORD"
database webhooks "$WEBHOOKS_PASSWORD"
