// Receives webhooks and verifies them: WEBHOOK_SECRET=… go run receive.go
// Signed with ed25519: WEBHOOK_PUBLIC_KEYS='whpk_… whpk_…' WEBHOOK_ID=wh_… go run receive.go
package main

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	key        = keyOf(os.Getenv("WEBHOOK_SECRET"))
	publicKeys = publicKeysOf(os.Getenv("WEBHOOK_PUBLIC_KEYS"))
	webhookID  = os.Getenv("WEBHOOK_ID")
	signatures = regexp.MustCompile(`v1a?,[^\s,]+`)
)

func isSigned(header http.Header, body []byte) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	// A request that somebody caught is worthless five minutes later.
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	content := append([]byte(header.Get("webhook-id")+"."+timestamp+"."), body...)
	joined := strings.Join(header.Values("webhook-signature"), " ")
	for _, sent := range signatures.FindAllString(joined, -1) {
		if isMac(content, sent) || isPublic(content, sent) && isMine(body) {
			return true
		}
	}
	return false
}

func isMac(content []byte, sent string) bool {
	mac := hmac.New(sha256.New, key)
	mac.Write(content)
	wanted := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return len(key) > 0 && hmac.Equal([]byte(sent), []byte(wanted))
}

func isPublic(content []byte, sent string) bool {
	signature, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sent, "v1a,"))
	for _, publicKey := range publicKeys {
		if err == nil && ed25519.Verify(publicKey, content, signature) {
			return true
		}
	}
	return false
}

// The public keys verify what is sent to anybody.
func isMine(body []byte) bool {
	var event struct {
		WebhookID string `json:"webhook_id"`
	}
	return json.Unmarshal(body, &event) == nil && event.WebhookID == webhookID
}

func keyOf(secret string) []byte {
	if !strings.HasPrefix(secret, "whsec_") {
		return []byte(secret)
	}
	key, _ := base64.StdEncoding.DecodeString(secret[len("whsec_"):])
	return key
}

func publicKeysOf(list string) (keys []ed25519.PublicKey) {
	for _, text := range strings.Fields(list) {
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whpk_"))
		if len(key) != ed25519.PublicKeySize {
			log.Fatal(text + " is no public key.")
		}
		keys = append(keys, key)
	}
	return keys
}

func main() {
	if len(publicKeys) == 0 && len(key) == 0 || len(publicKeys) > 0 && webhookID == "" {
		log.Fatal("Set WEBHOOK_SECRET, or WEBHOOK_PUBLIC_KEYS and WEBHOOK_ID.")
	}
	receive := func(answer http.ResponseWriter, request *http.Request) {
		// The bytes as they came: parsing and writing them again changes them.
		body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, 512<<10))
		if err != nil {
			http.Error(answer, "too large", http.StatusRequestEntityTooLarge)
		} else if !isSigned(request.Header, body) {
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
