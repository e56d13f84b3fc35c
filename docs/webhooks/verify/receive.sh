#!/bin/sh
# Receives webhooks and verifies them with openssl: a CGI script, with WEBHOOK_SECRET in its environment.
# For trying things out: other users of the machine see the key in openssl's arguments.
set -euf

hex() { od -An -v -tx1 | tr -d ' \n'; }
mac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -binary; }
answer() { printf 'Status: %s\r\n\r\n' "$1"; exit; }

case $WEBHOOK_SECRET in
  whsec_*) key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | hex) ;;
  *) key=$(printf %s "$WEBHOOK_SECRET" | hex) ;;
esac
: "${key:?Set WEBHOOK_SECRET.}"

# A request that somebody caught is worthless five minutes later.
case ${HTTP_WEBHOOK_TIMESTAMP:=none} in 0* | *[!0-9]* | ?????????????*) answer 401 ;; esac
age=$(($(date +%s) - HTTP_WEBHOOK_TIMESTAMP))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || answer 401

[ "${CONTENT_LENGTH:=0}" -le 524288 ] || answer 413
# The bytes go through as they came: a variable would lose some of them.
wanted=v1,$({
  printf '%s.%s.' "${HTTP_WEBHOOK_ID:-}" "$HTTP_WEBHOOK_TIMESTAMP"
  head -c "$CONTENT_LENGTH"
} | mac "$key" | openssl base64 -A)

# Compared as MACs under a key of this moment: how long that takes says nothing about the right one.
moment=$(openssl rand -hex 32)
for sent in ${HTTP_WEBHOOK_SIGNATURE:-}; do
  [ "$(printf %s "$sent" | mac "$moment" | hex)" = "$(printf %s "$wanted" | mac "$moment" | hex)" ] || continue
  answer 200 # Work afterwards, and drop a webhook-id that you have seen.
done
answer 401
