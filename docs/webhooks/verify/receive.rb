#!/usr/bin/env ruby
# Receives webhooks and verifies them: a CGI script, with WEBHOOK_SECRET in its environment. A Rack
# application has the same names in its env, and the body in env['rack.input'].
# Signed with ed25519: with WEBHOOK_PUBLIC_KEYS='whpk_… whpk_…' and WEBHOOK_ID in place of the secret.
require 'json'
require 'openssl'

BYTES_MAX = 524_288

def signed?(body, env, key, public_keys)
  timestamp = env['HTTP_WEBHOOK_TIMESTAMP'].to_s
  # A request that somebody caught is worthless five minutes later.
  return false unless timestamp.match?(/\A\d+\z/) && (Time.now.to_i - timestamp.to_i).abs <= 300

  content = "#{env['HTTP_WEBHOOK_ID']}.#{timestamp}.".b << body
  env['HTTP_WEBHOOK_SIGNATURE'].to_s.scan(/v1a?,[^\s,]+/).any? do |sent|
    mac?(content, sent, key) || (public?(content, sent, public_keys) && mine?(body))
  end
end

def mac?(content, sent, key)
  wanted = "v1,#{[OpenSSL::HMAC.digest('SHA256', key, content)].pack('m0')}"
  !key.empty? && OpenSSL.secure_compare(sent, wanted)
end

def public?(content, sent, public_keys)
  return false unless sent.start_with?('v1a,')

  signature = sent.delete_prefix('v1a,').unpack1('m')
  public_keys.any? { |one| one.verify(nil, signature, content) }
end

# The public keys verify what is sent to anybody.
def mine?(body) = JSON.parse(body)['webhook_id'] == ENV['WEBHOOK_ID']

# The key's 32 bytes after what DER writes before those of ed25519 (RFC 8410).
def public_key(text)
  OpenSSL::PKey.read(['302a300506032b6570032100'].pack('H*') + text.delete_prefix('whpk_').unpack1('m0'))
end

secret = ENV['WEBHOOK_SECRET'].to_s
key = secret.start_with?('whsec_') ? secret.delete_prefix('whsec_').unpack1('m0') : secret
public_keys = ENV['WEBHOOK_PUBLIC_KEYS'].to_s.split.map { |text| public_key(text) }
if public_keys.empty? ? key.empty? : ENV['WEBHOOK_ID'].to_s.empty?
  abort 'Set WEBHOOK_SECRET, or WEBHOOK_PUBLIC_KEYS and WEBHOOK_ID.'
end
# A request in chunks has no length, and its body lasts as long as the input.
length = ENV['CONTENT_LENGTH'].to_s
bytes = length.empty? && ENV['HTTP_TRANSFER_ENCODING'] ? BYTES_MAX + 1 : length.to_i
# The bytes as they came: parsing and writing them again changes them.
body = $stdin.binmode.read([bytes, BYTES_MAX + 1].min).to_s

if body.bytesize > BYTES_MAX
  print "Status: 413\r\n\r\n"
elsif body.empty? && length.empty?
  print "Status: 411\r\nContent-Type: text/plain\r\n\r\nNo body came: send Content-Length.\n"
elsif !signed?(body, ENV, key, public_keys)
  print "Status: 401\r\n\r\n"
else
  print "Status: 200\r\n\r\n"
  # Answer first, work afterwards, and drop a webhook-id that you have seen.
  warn JSON.parse(body)['event_type']
end
