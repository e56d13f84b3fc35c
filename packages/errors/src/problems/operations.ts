import type { ProblemTypes } from './problem-type.js';

/**
 * Problems that operators meet: those of `junction` and the routes that it calls, and those that a service reports of
 * its own environment.
 */
export const operationsProblems = {
  client_not_found: {
    kind: 'not_found',
    cause:
      'No client that an operator registered has this id. Clients of SERVICE_ACCOUNTS_FILE are changed there.',
    remedy: 'Use an id that `junction clients list` shows.',
  },
  client_exists: {
    kind: 'conflict',
    cause: 'The id that was drawn for a new client is taken, which is practically impossible.',
    remedy: 'Register it again.',
  },
  signing_key_exists: {
    kind: 'conflict',
    cause: 'The id that was drawn for a new signing key is taken, which is practically impossible.',
    remedy: 'Rotate again.',
  },
  cursor_invalid: {
    kind: 'invalid',
    cause: 'The cursor to follow events from is none that an event showed.',
    remedy: 'Send one back as it came, such as `7512.4711`.',
  },
  stream_not_found: {
    kind: 'not_found',
    cause: 'The service has no stream with this id. Each service has its own.',
    remedy: 'Compare the id, and ask the service that the stream belongs to.',
  },
  version_not_found: {
    kind: 'not_found',
    cause: 'The stream has not come to this version yet.',
    remedy: 'Ask for a version up to the one that the message names.',
  },
  search_too_long: {
    kind: 'unprocessable',
    cause:
      'Looking at each event for this id would take too long. The message says how far back it came.',
    remedy: 'Name the stream of the event, and its version where you know it.',
  },
  aggregate_unknown: {
    kind: 'unprocessable',
    cause: 'The service cannot tell what state the events of such a stream amount to.',
    remedy: 'Read the events of the stream instead. The message lists what it can tell.',
  },
  event_unreadable: {
    kind: 'unprocessable',
    cause:
      'A stored event does not decode: its schema is newer than this release, or its data are damaged.',
    remedy: 'Ask for the state before that version, or use the release that wrote it.',
  },
  too_many_followers: {
    kind: 'rate_limited',
    cause: 'Sixteen others follow the events of this process already.',
    remedy: 'End one of them, or ask another replica.',
  },
  service_stopping: {
    kind: 'unavailable',
    cause: 'The service stops, so following its events ends.',
    remedy: 'Follow again from the last cursor: another replica goes on, and nothing is missed.',
  },
  called_off: {
    kind: 'unavailable',
    cause: 'The caller of a long operation disconnected before its end.',
    remedy: 'Begin it again: it goes on from where it was.',
  },
  circuit_not_open: {
    kind: 'not_found',
    cause: 'The webhook has no open circuit: it recovered, was changed, or does not exist.',
    remedy: 'Use a webhook that `junction circuits list` shows.',
  },
  consumes_nothing: {
    kind: 'unprocessable',
    cause: 'The service consumes no topics, so it has neither dead letters nor consumers.',
    remedy: 'Ask a service that does.',
  },
  dead_letter_not_found: {
    kind: 'not_found',
    cause: 'There is no dead letter with this id: it was settled, or belongs to another service.',
    remedy: 'Use an id that `junction dlq list` shows.',
  },
  consumer_unknown: {
    kind: 'conflict',
    cause:
      'The process that was asked has no such consumer, so it cannot handle the dead letter again.',
    remedy: 'Ask the service that the consumer belongs to. If it was removed, discard the letter.',
  },
  partition_consumed: {
    kind: 'conflict',
    cause: 'The partition is being consumed, and its offset would change while its consumer works.',
    remedy: 'Stop the consumer first, or force it: the consumer follows within seconds.',
  },
  partition_unknown: {
    kind: 'not_found',
    cause: 'The topic has no such partition, or this consumer never consumed it.',
    remedy: 'Compare consumer, topic and partition with `junction consumers list`.',
  },
  offset_outside_log: {
    kind: 'invalid',
    cause: 'The offset lies before the first record that Kafka still has, or after the last.',
    remedy: 'Choose one within the bounds that the message names, or `beginning`, `end` or a time.',
  },
  projection_not_found: {
    kind: 'not_found',
    cause: 'The service has no projection with this name. The message lists those it has.',
    remedy: 'Use one of those names.',
  },
  rebuild_under_way: {
    kind: 'conflict',
    cause: 'Somebody else is rebuilding this projection.',
    remedy: 'Wait until it has ended, and begin then.',
  },
  no_rebuild: {
    kind: 'conflict',
    cause: 'There is no rebuild of this projection that could be discarded.',
    remedy: 'Nothing: the projection is as it was.',
  },
  rebuild_stopped: {
    kind: 'conflict',
    cause:
      'The projection could not handle an event that the message names. The one in use is untouched.',
    remedy:
      'Correct the projection, deploy it, and begin the rebuild again: it goes on from there.',
  },
  projection_rows_refused: {
    kind: 'conflict',
    cause:
      'The rows that were rebuilt break a constraint of the table, so the old ones stay in use.',
    remedy: 'Correct the projection or the constraint, discard this rebuild and begin again.',
  },
  invalid_key_ring: {
    kind: 'invalid',
    cause:
      'VAULT_KEYS, or the program it names, gives no key ring that can be used. The message says why, without a character of it.',
    remedy: 'Write `<id>:<base64url of 32 bytes>`, the newest first, with commas between.',
  },
} as const satisfies ProblemTypes;
