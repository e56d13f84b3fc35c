import {
  addressTooLong,
  conflict,
  contended,
  headersTooLarge,
  internal,
  invalid,
  methodNotAllowed,
  notFound,
  preconditionFailed,
  rateLimited,
  tooLarge,
  unavailable,
  unprocessable,
  unsupportedMediaType,
} from './problem-type.js';

/** Problems of any request, whatever its purpose, and failures of our own. */
export const requestProblems = {
  invalid_request: invalid(
    'The body, the query or the path breaks a rule of this call. `errors` names each field that is wrong, with a code and what is expected; a field that does not exist is wrong too. The gateway says it of a path or of headers that no service is to see.',
    'Correct the fields that `errors` names and send the request again.',
  ),
  malformed_path: invalid(
    'The path holds a `%` that is not followed by the hexadecimal code of UTF-8 bytes: half a surrogate pair, for instance, has none.',
    'Percent-encode each segment of the path, for instance with `encodeURIComponent`.',
  ),
  malformed_body: invalid(
    'The body is not what Content-Type says: broken JSON, a broken form, or no UTF-8.',
    'Let a library write the body, and send it as UTF-8.',
  ),
  incomplete_body: invalid(
    'The body ended before the length that Content-Length announces.',
    'Send it again. If it happens each time, count the length in bytes, not in characters.',
  ),
  unreadable_body: invalid(
    'The body could not be read, for a reason that has no code of its own.',
    'Send plain JSON in UTF-8, uncompressed, without transfer encodings of your own.',
  ),
  nested_too_deep: invalid(
    'Objects and lists of the JSON body lie more than 64 levels inside each other.',
    'Send a flatter body. No call here needs more than a few levels.',
  ),
  body_too_large: tooLarge(
    'The body is larger than this call takes: 256 KB for JSON.',
    'Send less in one request. The connection is closed with this answer.',
  ),
  address_too_long: addressTooLong(
    'The address of the request is longer than 32 KiB.',
    'Send what makes it so long in the body, or ask for less at once.',
  ),
  headers_too_large: headersTooLarge(
    'A header is longer than 32 KiB, or all of them and the address are longer than 64 KiB. In a browser these are cookies: it sends those that other applications set for the parent domain too.',
    'Delete the cookies of the site and of its parent domain, or send a shorter header.',
  ),
  unsupported_media_type: unsupportedMediaType(
    'Content-Type is absent or another one than this call takes, the charset is not UTF-8, or the body is compressed.',
    'Send the type that the message names, in most calls `application/json` or another that ends in `+json`, without Content-Encoding. For PATCH, Accept-Patch lists the types.',
  ),
  unstorable_text: invalid(
    'A text of the request holds what cannot be stored: NUL (U+0000), or half of a surrogate pair (U+D800 to U+DFFF). `errors` names each field.',
    'Leave the character out. Text that is cut by length is cut between characters.',
  ),
  no_such_route: notFound(
    'No resource has this path: a typing error, a slash too many, or another base URL.',
    'Compare the path with the API reference. Paths have no version and no slash at the end.',
  ),
  method_not_allowed: methodNotAllowed(
    'The resource exists and does not answer to this method.',
    'Use one of the methods that the header Allow lists.',
  ),
  invalid_if_match: invalid(
    'If-Match is neither `*` nor a list of ETags in quotation marks.',
    'Send the value of the ETag header as it came, with its quotation marks.',
  ),
  precondition_failed: preconditionFailed(
    'The resource was changed after the version that If-Match names. Nothing was done.',
    'Read it again, decide anew, and repeat the request with the new ETag.',
  ),
  invalid_idempotency_key: invalid(
    'Idempotency-Key is empty, longer than 255 characters, or holds a space or a character outside of ASCII.',
    'Send a fresh UUID.',
  ),
  idempotency_key_reused: unprocessable(
    'This Idempotency-Key was sent in the last 24 hours with another query, or a body that is another JSON value. Nothing was done for the second request.',
    'Make a new key for each new request, and use a key again only to repeat the very same one.',
  ),
  idempotency_in_progress: contended(
    'A request with the same Idempotency-Key is still being executed, or died while it was: then the key is blocked for a minute.',
    'Wait as long as Retry-After says and repeat it. You get the answer of the first one.',
  ),
  stream_contended: contended(
    'Other requests changed the same resource at this moment, several times in a row. Nothing was done.',
    'Repeat the request. If it goes on, send changes of one resource one after the other.',
  ),
  command_id_reused: conflict(
    'The id of a command was used before for something else. Nothing was done.',
    'Use a new id for a new command, and the old one only to repeat the same command.',
  ),
  too_many_requests: rateLimited(
    'This user or API key asked more often than it may: 1,000 times in ten seconds, unless the installation says otherwise, and fewer where a request counts for several. Or too many requests of this user wait for each other.',
    'Wait as long as Retry-After says, and send a few requests at a time. RateLimit in every answer shows how much is left.',
  ),
  too_busy: rateLimited(
    'As much costly work as a replica takes at once is under way or waiting: passwords to be checked, replays to be counted, texts to be searched for in bodies, or many logins of one account, or of many accounts of one network, or changes and searches of one user, which are made one after the other.',
    'Wait as long as Retry-After says and repeat the request. Send changes of one thing one after the other.',
  ),
  too_many_streams: rateLimited(
    'Ten event streams of this user are open, a hundred of this network, or 500 of the replica and no network has more of them.',
    'Close the streams you no longer read. One stream can serve many pages.',
  ),
  starting: unavailable(
    'The service was started a moment ago and waits for its database, for Kafka or for auth.',
    'Repeat the request in a few seconds. Operators: `/internal/health/ready` names what it waits for.',
  ),
  service_unavailable: unavailable(
    'Something the service needs for this request, its database or another service, is away, too slow or overloaded.',
    'Wait as long as Retry-After says and repeat it. Send an Idempotency-Key with a POST: what was done is then not done twice.',
  ),
  upstream_unavailable: unavailable(
    'The gateway found no replica of the service that answers, as in the middle of a deployment or an outage.',
    'Repeat the request in a second, a POST with an Idempotency-Key: it may have been executed without its answer.',
  ),
  deadline_exceeded: unavailable(
    'The gRPC call took longer than the server lets a call take, 30 s, a request read for 25 s, or a stream lasted for 15 minutes.',
    'Repeat the call. It may have had its effect: repeat with the same ids.',
  ),
  internal: internal(
    'Something went wrong on our side that was not foreseen. It is logged with its cause.',
    'Repeat the request once. If it fails again, report it with the `request_id` of the answer.',
  ),
};
