#!/usr/bin/env bash
# Makes an authority, once, and with it a certificate for each reader, where it has none that is good for half a year:
#
#   make-certificates.sh <folder>
#
# Below the folder every reader has a folder of its own; the authority's key is in `installation` alone.
set -euo pipefail
cd "$1"
authority=installation/ca
days=3650
# Whole or not at all; read by users who are not ours, in one container each.
umask 022

[ -f $authority.crt ] || {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $days -subj '/CN=Junction' \
    -addext keyUsage=critical,keyCertSign,cRLSign -keyout $authority.key -out $authority.part 2>/dev/null
  mv $authority.part $authority.crt
}

# Pairs of a folder and the name by which its reader is called.
for reader in auth:auth integrations:integrations webhooks:webhook-dispatcher kafka:kafka; do
  folder=${reader%%:*} name=${reader##*:}
  openssl x509 -checkend $((180 * 86400)) -noout -in "$folder/tls.crt" >/dev/null 2>&1 && continue
  # Good for serving and for calling, so both ends can require one.
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $((days / 5)) -subj "/CN=$name" \
    -CA $authority.crt -CAkey $authority.key -addext "subjectAltName=DNS:$name,DNS:localhost" \
    -addext basicConstraints=critical,CA:FALSE -addext extendedKeyUsage=serverAuth,clientAuth \
    -keyout "$folder/tls.key" -out "$folder/tls.part" 2>/dev/null
  cat "$folder/tls.key" "$folder/tls.part" >"$folder/tls.pem"
  cp $authority.crt "$folder/ca.crt"
  chmod 444 "$folder"/tls.* "$folder/ca.crt"
  mv -f "$folder/tls.part" "$folder/tls.crt"
done
