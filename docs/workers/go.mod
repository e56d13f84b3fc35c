module example.com/worker

go 1.25.0

require (
	golang.org/x/oauth2 v0.30.0
	google.golang.org/grpc v1.85.0
	google.golang.org/protobuf v1.36.12
)
