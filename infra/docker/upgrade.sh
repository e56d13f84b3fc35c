#!/usr/bin/env bash
# Upgrades an installation of docker-compose.production.yml: upgrade.sh <version> <folder of backups>. Backs up, writes the
# version into .env, applies schema and topics, and exchanges the services. The version before goes on meanwhile, and comes back
# by the same command: migrations only add.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$1
backup=$(infra/docker/backup.sh "$2")
grep -q '^JUNCTION_VERSION=' .env || echo JUNCTION_VERSION= >>.env
sed -i.before "s/^JUNCTION_VERSION=.*/JUNCTION_VERSION=$version/" .env
# Images that are not to be had leave everything as it was.
docker compose pull || { mv .env.before .env; exit 1; }
rm .env.before
docker compose up --detach --no-build --wait --wait-timeout 900
echo "Version $version runs. The backup of before: $backup"
