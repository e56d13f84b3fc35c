#!/bin/sh
# Receives webhooks and verifies them with openssl: a CGI script, with WEBHOOK_SECRET in its environment.
# Signed with ed25519: with WEBHOOK_PUBLIC_KEYS='whpk_… whpk_…' and WEBHOOK_ID in place of the secret (openssl 3).
# For trying things out: other users of the machine see the secret in openssl's arguments.
set -euf

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
hex() { od -An -v -tx1 | tr -d ' \n'; }
mac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -binary; }
answer() { printf 'Status: %s\r\nContent-Type: text/plain\r\n\r\n%s\n' "$1" "${2:-}"; exit; }

key=
case ${WEBHOOK_SECRET:-} in
  whsec_*) key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | hex) ;;
  ?*) key=$(printf %s "$WEBHOOK_SECRET" | hex) ;;
esac
: "${key:-${WEBHOOK_PUBLIC_KEYS:?Set WEBHOOK_SECRET, or this and WEBHOOK_ID.}}"
: "${WEBHOOK_PUBLIC_KEYS:+${WEBHOOK_ID:?Say which webhook is yours.}}"

# A request that somebody caught is worthless five minutes later.
case ${HTTP_WEBHOOK_TIMESTAMP:=none} in 0* | *[!0-9]* | ?????????????*) answer 401 ;; esac
age=$(($(date +%s) - HTTP_WEBHOOK_TIMESTAMP))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || answer 401

# A request in chunks has no length, and its body lasts as long as the input.
length=${CONTENT_LENGTH:-${HTTP_TRANSFER_ENCODING:+524289}}
[ "${length:=0}" -le 524289 ] || answer 413
# The bytes as they came: a variable would lose some of them.
head -c "$length" > "$folder/body"
size=$(wc -c < "$folder/body")
[ "$size" -le 524288 ] || answer 413
[ "$size" -gt 0 ] || [ -n "${CONTENT_LENGTH:-}" ] || answer 411 'No body came: send Content-Length.'
{ printf '%s.%s.' "${HTTP_WEBHOOK_ID:-}" "$HTTP_WEBHOOK_TIMESTAMP"; cat "$folder/body"; } > "$folder/content"

# Compared as MACs under a key of this moment: how long that takes says nothing about the right one.
moment=$(openssl rand -hex 32)
is_mac() {
  [ -n "$key" ] || return
  wanted=v1,$(mac "$key" < "$folder/content" | openssl base64 -A)
  [ "$(printf %s "$1" | mac "$moment" | hex)" = "$(printf %s "$wanted" | mac "$moment" | hex)" ]
}

is_public() {
  printf %s "${1#v1a,}" | openssl base64 -d -A > "$folder/signature"
  for public in ${WEBHOOK_PUBLIC_KEYS:-}; do
    # What DER writes before the 32 bytes of an ed25519 key (RFC 8410), and those.
    { printf '\060\052\060\005\006\003\053\145\160\003\041\000'
      printf %s "${public#whpk_}" | openssl base64 -d -A; } > "$folder/key"
    openssl pkeyutl -verify -pubin -keyform DER -inkey "$folder/key" -rawin \
      -in "$folder/content" -sigfile "$folder/signature" > /dev/null 2>&1 || continue
    # These keys verify what is sent to anybody. A body ends with the id of its webhook.
    mine="\"webhook_id\":\"$WEBHOOK_ID\"}"
    [ "$(tail -c "${#mine}" "$folder/content")" = "$mine" ] && return
  done
  return 1
}

for sent in $(printf %s "${HTTP_WEBHOOK_SIGNATURE:-}" | grep -oE 'v1a?,[^ ,]+'); do
  case $sent in
    v1a,*) is_public "$sent" || continue ;;
    *) is_mac "$sent" || continue ;;
  esac
  answer 200 # Work afterwards, and drop a webhook-id that you have seen.
done
answer 401
