import {
  conflict,
  invalid,
  notFound,
  rateLimited,
  unavailable,
  unprocessable,
} from './problem-type.js';

/**
 * Problems that operators meet: those of `junction` and the routes that it calls, and those that a service reports of
 * its own environment.
 */
export const operationsProblems = {
  client_not_found: notFound(
    'No client that an operator registered has this id. Clients of SERVICE_ACCOUNTS_FILE are changed there.',
    'Use an id that `junction clients list` shows.',
  ),
  client_exists: conflict(
    'The id that was drawn for a new client is taken, which is practically impossible.',
    'Register it again.',
  ),
  signing_key_exists: conflict(
    'The id that was drawn for a new signing key is taken, which is practically impossible.',
    'Rotate again.',
  ),
  cursor_invalid: invalid(
    'The cursor to follow events from is none that an event showed.',
    'Send one back as it came, such as `7512.4711`.',
  ),
  stream_not_found: notFound(
    'The service has no stream with this id. Each service has its own.',
    'Compare the id, and ask the service that the stream belongs to.',
  ),
  version_not_found: notFound(
    'The stream has not come to this version yet.',
    'Ask for a version up to the one that the message names.',
  ),
  search_too_long: unprocessable(
    'Looking at each event for this id would take too long. The message says how far back it came.',
    'Name the stream of the event, and its version where you know it.',
  ),
  aggregate_unknown: unprocessable(
    'The service cannot tell what state the events of such a stream amount to.',
    'Read the events of the stream instead. The message lists what it can tell.',
  ),
  event_unreadable: unprocessable(
    'A stored event does not decode: its schema is newer than this release, or its data are damaged.',
    'Ask for the state before that version, or use the release that wrote it.',
  ),
  too_many_followers: rateLimited(
    'Sixteen others follow the events of this process already.',
    'End one of them, or ask another replica.',
  ),
  service_stopping: unavailable(
    'The service stops, so following its events ends.',
    'Follow again from the last cursor: another replica goes on, and nothing is missed.',
  ),
  called_off: unavailable(
    'The caller of a long operation disconnected before its end.',
    'Begin it again: it goes on from where it was.',
  ),
  circuit_not_open: notFound(
    'The webhook has no open circuit: it recovered, was changed, or does not exist.',
    'Use a webhook that `junction circuits list` shows.',
  ),
  consumes_nothing: unprocessable(
    'The service consumes no topics, so it has neither dead letters nor consumers.',
    'Ask a service that does.',
  ),
  dead_letter_not_found: notFound(
    'There is no dead letter with this id: it was settled, or belongs to another service.',
    'Use an id that `junction dlq list` shows.',
  ),
  consumer_unknown: conflict(
    'The process that was asked has no such consumer, so it cannot handle the dead letter again.',
    'Ask the service that the consumer belongs to. If it was removed, discard the letter.',
  ),
  partition_consumed: conflict(
    'The partition is being consumed, and its offset would change while its consumer works.',
    'Stop the consumer first, or force it: the consumer follows within seconds.',
  ),
  partition_unknown: notFound(
    'The topic has no such partition, or this consumer never consumed it.',
    'Compare consumer, topic and partition with `junction consumers list`.',
  ),
  offset_outside_log: invalid(
    'The offset lies before the first record that Kafka still has, or after the last.',
    'Choose one within the bounds that the message names, or `beginning`, `end` or a time.',
  ),
  projection_not_found: notFound(
    'The service has no projection with this name. The message lists those it has.',
    'Use one of those names.',
  ),
  rebuild_under_way: conflict(
    'Somebody else is rebuilding this projection.',
    'Wait until it has ended, and begin then.',
  ),
  no_rebuild: conflict(
    'There is no rebuild of this projection that could be discarded.',
    'Nothing: the projection is as it was.',
  ),
  rebuild_stopped: conflict(
    'The projection could not handle an event that the message names. The one in use is untouched.',
    'Correct the projection, deploy it, and begin the rebuild again: it goes on from there.',
  ),
  projection_rows_refused: conflict(
    'The rows that were rebuilt break a constraint of the table, so the old ones stay in use.',
    'Correct the projection or the constraint, discard this rebuild and begin again.',
  ),
  invalid_key_ring: invalid(
    'VAULT_KEYS, or the program it names, gives no key ring that can be used. The message says why, without a character of it.',
    'Write `<id>:<base64url of 32 bytes>`, the newest first, with commas between.',
  ),
};
