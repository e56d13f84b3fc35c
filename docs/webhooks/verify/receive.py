# Receives webhooks and verifies them: WEBHOOK_SECRET=… python3 receive.py
# By the secret alone: Python's own library has no ed25519, so signatures that begin with v1a go unread here.
import base64, hashlib, hmac, json, os, re, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
KEY = base64.b64decode(SECRET[6:]) if SECRET.startswith("whsec_") else SECRET.encode()
if not KEY:
    sys.exit("Set WEBHOOK_SECRET.")
BYTES_MAX = 524_288


def is_signed(headers, body):
    message_id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    # A request that somebody caught is worthless five minutes later.
    if not timestamp.isdecimal() or abs(int(time.time()) - int(timestamp)) > 300:
        return False
    mac = hmac.new(KEY, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(mac)
    signatures = " ".join(headers.get_all("webhook-signature", []))
    return any(hmac.compare_digest(sent.encode(), wanted) for sent in re.findall(r"v1,[^\s,]+", signatures))


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def read_body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            length = int(self.headers.get("content-length", 0))
            return self.rfile.read(length) if 0 <= length <= BYTES_MAX else None
        body = b""  # In chunks: lines with the size of each in hexadecimal digits, and 0 at the end.
        while (size := int(self.rfile.readline(100).split(b";")[0], 16)) > 0:
            if len(body) + size > BYTES_MAX:
                return None
            body += self.rfile.read(size)
            self.rfile.readline(2)
        while self.rfile.readline(1000).strip():
            pass
        return body

    def do_POST(self):
        body = self.read_body()  # As it came: parsing and writing it again changes bytes.
        if body is None:
            return self.send_error(413)
        if not is_signed(self.headers, body):
            return self.send_error(401)
        self.send_response(200)
        self.end_headers()
        # Answer first, work afterwards, and drop a webhook-id that you have seen.
        print(json.loads(body)["event_type"])


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
