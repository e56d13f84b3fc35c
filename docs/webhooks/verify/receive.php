<?php
// Receives webhooks and verifies them: WEBHOOK_SECRET=… php -S 127.0.0.1:3000 receive.php
declare(strict_types=1);

const BYTES_MAX = 524_288;

function isSigned(string $body, string $key): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    // A request that somebody caught is worthless five minutes later.
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $sent) {
        if (hash_equals($wanted, $sent)) {
            return true;
        }
    }
    return false;
}

$secret = (string) getenv('WEBHOOK_SECRET');
$key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6)) : $secret;
if ($key === '') {
    throw new Exception('Set WEBHOOK_SECRET.');
}
// The bytes as they came: parsing and writing them again changes them.
$body = file_get_contents('php://input', length: BYTES_MAX + 1);
if (strlen($body) > BYTES_MAX) {
    http_response_code(413);
} elseif (!isSigned($body, $key)) {
    http_response_code(401);
} else {
    // Answered 200 at the end. Work afterwards, and drop a webhook-id that you have seen.
    error_log(json_decode($body)->event_type);
}
