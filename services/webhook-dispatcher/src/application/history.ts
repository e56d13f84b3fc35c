import type { HistoryPorts } from './ports.js';
import { listEvents, readEvent } from './read-events.js';
import { readStatistics } from './read-statistics.js';
import { redactAllPayloads, redactPayload } from './redact-payloads.js';
import { redeliver } from './redeliver.js';
import { beginReplay, cancelReplay, countReplay, findReplay } from './replay-webhook.js';
import { sendTest } from './send-test.js';

/** What owners may look back at and have sent again, whichever server the request came through. */
export const history = (ports: HistoryPorts) => ({
  redeliver: redeliver(ports),
  countReplay: countReplay(ports),
  replay: beginReplay(ports),
  operation: findReplay(ports),
  cancel: cancelReplay(ports),
  test: sendTest(ports),
  redactPayload: redactPayload(ports),
  redactAllPayloads: redactAllPayloads(ports),
  statistics: readStatistics(ports),
  events: listEvents(ports),
  event: readEvent(ports),
});

export type History = ReturnType<typeof history>;
