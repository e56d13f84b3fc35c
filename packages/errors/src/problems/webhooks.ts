import { conflict, invalid, notFound, rateLimited, tooLarge, unavailable } from './problem-type.js';

/** Webhooks, their deliveries, and the events that become deliveries. */
export const webhookProblems = {
  webhook_not_found: notFound(
    'You have no webhook with this id: it was deleted, or belongs to somebody else.',
    'Use a `webhook_id` that `GET /api/webhooks` lists.',
  ),
  webhook_limit_reached: conflict(
    'The user has as many webhooks as the installation lets a user have, by default 50.',
    'Delete one that is no longer needed; one webhook can take every kind of event.',
  ),
  webhook_disabled: conflict(
    'Nothing is sent to a webhook that is disabled: by its user, after an answer of `410 Gone`, because it failed for too long, or by an operator. `disabled_reason` says which.',
    'Correct the receiver, set `enabled` to true, and repeat the request.',
  ),
  webhook_disabled_by_operator: conflict(
    'An operator of this installation has disabled the webhook (`disabled_reason` is `operator`), and only an operator can enable it.',
    'Ask an operator of this installation to enable it, by `junction webhooks unblock`.',
  ),
  webhook_paused: conflict(
    'No attempt is made while the webhook is paused.',
    'Set `paused` to false: what waits is sent then. Where `paused_by` is `operator`, ask an operator of this installation.',
  ),
  delivery_not_found: notFound(
    'This webhook has no delivery with this id, or it is so old that it was removed.',
    'Use an id that `GET /api/deliveries` lists.',
  ),
  delivery_under_way: conflict(
    'The delivery, or one that repeats it, waits for its next attempt and still needs its payload.',
    'Wait until it has ended, and remove the payload then.',
  ),
  payload_expunged: conflict(
    'The payload of the delivery was removed at the request of its user. There is nothing left to send.',
    'Publish the event anew under a new id.',
  ),
  bytes_spent: rateLimited(
    'Tests, redeliveries, probes and replays of this user have sent as many bytes as they may: 64 MiB in a minute, and 4 GiB in a day. What producers publish does not count.',
    'Wait as long as Retry-After says. RateLimit in each answer to such a request shows how much is left.',
  ),
  replay_under_way: conflict(
    'A replay of this webhook is running, and a webhook has one at a time.',
    'Wait until it has ended, or end it with `DELETE /api/webhooks/operations/{id}`.',
  ),
  operation_not_found: notFound(
    'You have no operation with this id.',
    'Follow the `Location` of the answer that began it.',
  ),
  event_not_found: notFound(
    'No event has this id: it is older than the seven days for which events are kept, was for somebody else, or never came. For operators: the service has no such event in its store.',
    'Look at `GET /api/events`. An event that is missing there was not published, or was refused: see the dead letters.',
  ),
  kafka_unavailable: unavailable(
    'Kafka did not take the events just now.',
    'Send them again with the same ids. Events that were stored already count once.',
  ),
  stream_too_long: tooLarge(
    'A stream of PublishStream carries at most 10,000 events. Some of those before it are stored already.',
    'Send all of them again with the same ids, in shorter streams: what is stored counts once.',
  ),
  partition_missing: unavailable(
    'The table of deliveries has no partition for today, because the task that makes them did not run.',
    'Events wait and nothing is lost. Operators: look at the log of webhook-dispatcher.',
  ),
};

/**
 * Rules of assistant.events.v1. The code of a broken rule is that of a refused Publish, of an event in `refused` of
 * PublishStream, of the SDK's error, and the reason of a dead letter.
 */
export const eventProblems = {
  ce_specversion_unsupported: invalid(
    'The header ce_specversion is not `1.0`, or is written otherwise, such as `ce-specversion`.',
    'Write CloudEvents 1.0, in binary or structured mode.',
  ),
  ce_id_invalid: invalid(
    'The id of the event is absent, longer than 256 characters, or holds one that cannot be printed.',
    'Give each event an id that is unique within its source, such as a UUID.',
  ),
  ce_source_invalid: invalid(
    'The source of the event is absent, longer than 256 characters, or holds one that cannot be printed.',
    'Name the producer, for instance `/assistant/inbox`.',
  ),
  ce_type_unknown: invalid(
    'The type is none of the kinds of event there are. The message lists them.',
    'Use a kind of `GET /api/webhooks/event-types`.',
  ),
  ce_subject_invalid: invalid(
    'The subject of the event is not the UUID of a user.',
    'Send the id of the user as `GET /api/auth/me` shows it.',
  ),
  ce_time_invalid: invalid(
    'The time of the event is no RFC 3339 date-time.',
    'Write it as `2025-01-31T12:00:00Z`, or leave it out: then it is the time of arrival.',
  ),
  key_not_subject: invalid(
    'The key of the Kafka record is another one than the subject of the event.',
    'Use the id of the user as the key, so that the events of one user stay in order.',
  ),
  content_type_unsupported: invalid(
    'The header content-type of the record is neither `application/json` nor another that ends in `+json`, or not UTF-8, or names a batch.',
    'Send the data as JSON in UTF-8, and the header accordingly or not at all.',
  ),
  data_missing: invalid(
    'The event has no data.',
    'Send a JSON object, `{}` where the kind asks for no fields.',
  ),
  data_too_large: invalid(
    'The data are larger than 262,144 bytes.',
    'Send less, for instance a reference to where the rest can be read.',
  ),
  data_has_bom: invalid(
    'The data begin with a byte order mark, which JSON must not (RFC 8259, section 8.1).',
    'Write the text as UTF-8 without a byte order mark.',
  ),
  data_not_utf8: invalid('The bytes of the data are not UTF-8.', 'Encode the JSON text as UTF-8.'),
  data_not_json: invalid('The data are not valid JSON.', 'Let a library write the JSON.'),
  data_not_object: invalid(
    'The data are JSON and not an object: a list, a text, a number or null.',
    'Send an object.',
  ),
  data_invalid: invalid(
    'The data lack a field that their kind requires, or have one of another type. The message names it.',
    'Compare the data with the JSON Schema and the example of `GET /api/webhooks/event-types`.',
  ),
};
