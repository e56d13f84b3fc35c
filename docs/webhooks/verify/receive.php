<?php
// Receives webhooks and verifies them: WEBHOOK_SECRET=… php -S 127.0.0.1:3000 receive.php
// Signed with ed25519: WEBHOOK_PUBLIC_KEYS='whpk_… whpk_…' WEBHOOK_ID=wh_… in place of the secret (sodium, part of PHP)
declare(strict_types=1);

const BYTES_MAX = 524_288;

function isSigned(string $body, string $key, array $publicKeys): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    // A request that somebody caught is worthless five minutes later.
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $content = "$id.$timestamp.$body";
    $wanted = 'v1,' . base64_encode(hash_hmac('sha256', $content, $key, true));
    preg_match_all('/v1a?,[^\s,]+/', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '', $signatures);
    foreach ($signatures[0] as $sent) {
        $isMac = $key !== '' && hash_equals($wanted, $sent);
        if ($isMac || (isPublic($content, $sent, $publicKeys) && isMine($body))) {
            return true;
        }
    }
    return false;
}

function isPublic(string $content, string $sent, array $publicKeys): bool
{
    $signature = base64_decode(substr($sent, 4), true);
    if (!str_starts_with($sent, 'v1a,') || $signature === false || strlen($signature) !== 64) {
        return false;
    }
    foreach ($publicKeys as $key) {
        if (sodium_crypto_sign_verify_detached($signature, $content, $key)) {
            return true;
        }
    }
    return false;
}

// The public keys verify what is sent to anybody.
function isMine(string $body): bool
{
    return json_decode($body)->webhook_id === getenv('WEBHOOK_ID');
}

$secret = (string) getenv('WEBHOOK_SECRET');
$key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6)) : $secret;
preg_match_all('/whpk_(\S+)/', (string) getenv('WEBHOOK_PUBLIC_KEYS'), $published);
$publicKeys = array_map(base64_decode(...), $published[1]);
if ($publicKeys === [] ? $key === '' : !getenv('WEBHOOK_ID')) {
    throw new Exception('Set WEBHOOK_SECRET, or WEBHOOK_PUBLIC_KEYS and WEBHOOK_ID.');
}
// The bytes as they came: parsing and writing them again changes them.
$body = file_get_contents('php://input', length: BYTES_MAX + 1);
if (strlen($body) > BYTES_MAX) {
    http_response_code(413);
} elseif (!isSigned($body, $key, $publicKeys)) {
    http_response_code(401);
} else {
    // Answered 200 at the end. Work afterwards, and drop a webhook-id that you have seen.
    error_log(json_decode($body)->event_type);
}
