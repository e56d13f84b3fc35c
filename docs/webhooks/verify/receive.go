// Receives webhooks and verifies them: WEBHOOK_SECRET=… go run receive.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func isSigned(header http.Header, body, key []byte) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	// A request that somebody caught is worthless five minutes later.
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", header.Get("webhook-id"), timestamp, body)
	wanted := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, sent := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(sent), wanted) {
			return true
		}
	}
	return false
}

func keyOf(secret string) []byte {
	if !strings.HasPrefix(secret, "whsec_") {
		return []byte(secret)
	}
	key, _ := base64.StdEncoding.DecodeString(secret[len("whsec_"):])
	return key
}

func main() {
	key := keyOf(os.Getenv("WEBHOOK_SECRET"))
	if len(key) == 0 {
		log.Fatal("Set WEBHOOK_SECRET.")
	}
	receive := func(answer http.ResponseWriter, request *http.Request) {
		// The bytes as they came: parsing and writing them again changes them.
		body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, 512<<10))
		if err != nil {
			http.Error(answer, "too large", http.StatusRequestEntityTooLarge)
		} else if !isSigned(request.Header, body, key) {
			http.Error(answer, "wrong signature", http.StatusUnauthorized)
		} else {
			// Answered 200 on return. Work afterwards, and drop a webhook-id that you have seen.
			fmt.Println(string(body))
		}
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	server := http.Server{Addr: "127.0.0.1:" + port, Handler: http.HandlerFunc(receive), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
