# Gets an access token of a user's mailbox, and reports one that the provider refuses, over gRPC:
#   pip install grpcio-tools
#   CLIENT_SECRET=… USER_ID=… python3 worker.py
# The messages are made of the .proto when it starts; PROTO_PATH is the folder proto of the repository.
import base64, json, os, sys, urllib.parse, urllib.request
import grpc

env = os.environ.get
sys.path.append(env("PROTO_PATH", "../../proto"))
NAME = "junction/integrations/v1/integrations.proto"
messages, services = grpc.protos_and_services(NAME)


def service_token():
    """Keep it for the ten minutes that it lives, and get the next one when a call answers UNAUTHENTICATED."""
    form = {"grant_type": "client_credentials", "audience": "integrations", "scope": "tokens:read"}
    client = f'{env("CLIENT_ID", "cli_worker")}:{os.environ["CLIENT_SECRET"]}'
    request = urllib.request.Request(
        env("TOKEN_URL", "http://localhost:8080/oauth/token"), urllib.parse.urlencode(form).encode(),
        {"authorization": "Basic " + base64.b64encode(client.encode()).decode()})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["access_token"]


# In clear text on a development machine; elsewhere grpc.secure_channel with grpc.ssl_channel_credentials().
channel = grpc.insecure_channel(env("ADDRESS", "127.0.0.1:7012"))
integrations = services.IntegrationsServiceStub(channel)
how = {"metadata": [("authorization", f"Bearer {service_token()}")], "timeout": 15}
account = {"user_id": os.environ["USER_ID"], "provider": env("PROVIDER", "mailbox")}
try:
    token = integrations.GetAccessToken(messages.GetAccessTokenRequest(**account), **how)
    print(token.credential_version, *token.scopes)  # token.access_token goes to the provider, and nowhere else.
    if env("REFUSED"):  # The provider answered 401: it is asked at once, and a greater version is another token.
        refused = messages.ReportUnauthorizedRequest(credential_version=token.credential_version, **account)
        now = integrations.ReportUnauthorized(refused, **how)
        print(now.status, now.credential_version)
except grpc.RpcError as error:  # Ask again after UNAVAILABLE alone; any other refusal says what is to be done.
    sys.exit(f"{dict(error.trailing_metadata()).get('error-code', error.code().name)}: {error.details()}")
