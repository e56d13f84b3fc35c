#!/bin/sh
# Sends a signed request, as the service does, to a receiver that you try out:
# WEBHOOK_SECRET=… sh send.sh http://localhost:3000/
set -eu

hex() { od -An -v -tx1 | tr -d ' \n'; }
mac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -binary; }

secret=$(printf %s "$WEBHOOK_SECRET" | hex)
case $WEBHOOK_SECRET in
  whsec_*) key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | hex) ;;
  *) key=$secret ;;
esac
id=msg_$(openssl rand -hex 12)
seconds=$(date +%s)
body='{"event_type":"draft.created","user_id":"0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d","data":{"draft_id":"17"},'
body=$body'"timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%S.000Z)'","webhook_id":"wh_1"}'

curl --silent --show-error --include "$1" --data-raw "$body" \
  --header 'Content-Type: application/json' \
  --header "webhook-id: $id" \
  --header "webhook-timestamp: $seconds" \
  --header "webhook-signature: v1,$(printf %s "$id.$seconds.$body" | mac "$key" | openssl base64 -A)" \
  --header "X-Service-Signature: sha256=$(printf %s "$body" | mac "$secret" | hex)"
