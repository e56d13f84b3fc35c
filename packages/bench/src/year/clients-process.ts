// Clients of one user, in a process of their own, so that they do not keep those from their turn who measure. The first
// message says what they ask; at the second they end, and tell what they were answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { askApi } from '../dispatch/api.js';
import type { Answers, Asking } from './clients.js';

const CONNECTIONS = 50;
/** Each client hangs up on one of so many requests, so many milliseconds after it was sent. */
const HANGS_UP_EVERY = 5;
const HANGS_UP_MS = 200;
/** Milliseconds until a client that was refused asks again. */
const REFUSED_REST_MS = 100;

const over = new AbortController();
const answers: Record<string, number> = {};

let asked = 0;

async function client({ base, token, requests }: Asking): Promise<void> {
  for (let n = 1; !over.signal.aborted; n++) {
    const hangsUp = n % HANGS_UP_EVERY === 0 ? [AbortSignal.timeout(HANGS_UP_MS)] : [];
    const signal = AbortSignal.any([over.signal, ...hangsUp]);
    const request = requests[asked++ % requests.length];
    if (request === undefined) return;
    const answer = await askApi(base, token, { ...request, signal }).catch(() => undefined);
    const status = answer === undefined ? 'given up' : String(answer.status);
    answers[status] = (answers[status] ?? 0) + 1;
    if (answer?.status === 429) await sleep(REFUSED_REST_MS);
  }
}

let clients: readonly Promise<void>[] | undefined;
process.on('message', (asking: Asking) => {
  if (clients === undefined) {
    clients = Array.from({ length: CONNECTIONS }, () => client(asking));
    process.send?.({});
    return;
  }
  over.abort();
  void Promise.all(clients).then(() => process.send?.(answers satisfies Answers));
});
process.on('disconnect', () => process.exit(0));
