#!/usr/bin/env bash
# Backs up an installation of docker-compose.production.yml while it works: backup.sh <folder>. Makes a folder below it, named
# after the moment, with the three databases at one moment (files, not a dump) and what opens them. Prints its path.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 077
folder=$(mkdir -p "$1" && cd "$1" && pwd)/$(date -u +%Y-%m-%dT%H-%M-%SZ)
mkdir "$folder.part"

docker compose run --rm --no-deps -T secrets tar -C /secrets/installation -c . >"$folder.part/secrets.tar"
if docker compose ps --services | grep -qx postgres; then
  docker compose exec -T postgres pg_basebackup --username=postgres --checkpoint=fast --wal-method=fetch \
    --format=tar --gzip --pgdata=- >"$folder.part/postgres.tar.gz"
fi
cp -R production .env "$folder.part"
mv -T "$folder.part" "$folder"
echo "$folder"
