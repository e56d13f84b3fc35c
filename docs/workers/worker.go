// Gets an access token of a user's account, and reports one that the provider refuses, over gRPC: CLIENT_SECRET=… USER_ID=… go run .
// The package tokens is made of the .proto, as README.md says.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"example.com/worker/tokens"
	"golang.org/x/oauth2/clientcredentials"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	worker := clientcredentials.Config{ClientID: "cli_worker", ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL: os.Getenv("TOKEN_URL"), Scopes: []string{"tokens:read"},
		EndpointParams: map[string][]string{"audience": {"integrations"}}}
	own, err := worker.TokenSource(ctx).Token() // A source keeps the token for the ten minutes that it lives.
	check(err)
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+own.AccessToken)
	// In clear text on a development machine; elsewhere credentials.NewTLS.
	channel, err := grpc.NewClient(os.Getenv("ADDRESS"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	integrations, user, provider := tokens.NewIntegrationsServiceClient(channel), os.Getenv("USER_ID"), os.Getenv("PROVIDER")
	token, err := integrations.GetAccessToken(ctx, &tokens.GetAccessTokenRequest{UserId: user, Provider: provider})
	check(err)
	fmt.Println(token.CredentialVersion, token.Scopes) // token.AccessToken goes to the provider, and nowhere else.
	if os.Getenv("REFUSED") != "" {                    // The provider answered 401: a greater version is another token.
		now, err := integrations.ReportUnauthorized(ctx, &tokens.ReportUnauthorizedRequest{
			UserId: user, Provider: provider, CredentialVersion: token.CredentialVersion})
		check(err)
		fmt.Println(now.Status, now.CredentialVersion)
	}
}

func check(err error) { // Ask again after Unavailable alone; any other refusal says what is to be done.
	if err != nil {
		log.Fatalln(err)
	}
}
