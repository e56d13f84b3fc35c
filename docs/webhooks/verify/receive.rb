#!/usr/bin/env ruby
# Receives webhooks and verifies them: a CGI script, with WEBHOOK_SECRET in its environment. A Rack
# application has the same names in its env, and the body in env['rack.input'].
require 'json'
require 'openssl'

BYTES_MAX = 524_288

def signed?(body, env, key)
  timestamp = env['HTTP_WEBHOOK_TIMESTAMP'].to_s
  # A request that somebody caught is worthless five minutes later.
  return false unless timestamp.match?(/\A\d+\z/) && (Time.now.to_i - timestamp.to_i).abs <= 300

  mac = OpenSSL::HMAC.new(key, 'SHA256') << "#{env['HTTP_WEBHOOK_ID']}.#{timestamp}." << body
  wanted = "v1,#{[mac.digest].pack('m0')}"
  env['HTTP_WEBHOOK_SIGNATURE'].to_s.split.any? { |sent| OpenSSL.secure_compare(sent, wanted) }
end

secret = ENV['WEBHOOK_SECRET'].to_s
key = secret.start_with?('whsec_') ? secret.delete_prefix('whsec_').unpack1('m0') : secret
abort 'Set WEBHOOK_SECRET.' if key.empty?
# The bytes as they came: parsing and writing them again changes them.
body = $stdin.binmode.read(BYTES_MAX + 1).to_s

if body.bytesize > BYTES_MAX
  print "Status: 413\r\n\r\n"
elsif !signed?(body, ENV, key)
  print "Status: 401\r\n\r\n"
else
  print "Status: 200\r\n\r\n"
  # Answer first, work afterwards, and drop a webhook-id that you have seen.
  warn JSON.parse(body)['event_type']
end
