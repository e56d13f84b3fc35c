# Receives webhooks and verifies them: WEBHOOK_SECRET=… python3 receive.py
# By the secret alone: Python's own library has no ed25519, so signatures that begin with v1a go unread here.
import base64, hashlib, hmac, json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
KEY = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()
if not KEY:
    sys.exit("Set WEBHOOK_SECRET.")


def is_signed(headers, body):
    message_id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    # A request that somebody caught is worthless five minutes later.
    if not timestamp.isdecimal() or abs(int(time.time()) - int(timestamp)) > 300:
        return False
    mac = hmac.new(KEY, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(mac)
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(sent, wanted) for sent in signatures)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if not 0 <= length <= 524_288:
            return self.send_error(413)
        body = self.rfile.read(length)  # As it came: parsing and writing it again changes bytes.
        if not is_signed(self.headers, body):
            return self.send_error(401)
        self.send_response(200)
        self.end_headers()
        # Answer first, work afterwards, and drop a webhook-id that you have seen.
        print(json.loads(body)["event_type"])


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
