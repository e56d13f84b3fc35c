import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { Failure } from '../failure.js';
import type { Output } from '../output.js';
import type { Api } from './api.js';
import { Refusal } from './refusal.js';

export interface ServerSent {
  readonly type: string;
  readonly data: unknown;
}

export interface Following {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly output: Output;
}

const AGAIN_MIN_MS = 250;
const AGAIN_MAX_MS = 5_000;
/** Longer than any restart. */
const GIVE_UP_AFTER_MS = 60_000;

/** Server-sent events until the signal aborts. One that is cut off goes on where it was (Last-Event-ID). Failure. */
export async function* followed(api: Api, following: Following): AsyncGenerator<ServerSent> {
  const { path, signal, output } = following;
  let lastId: string | undefined;
  let lostAtMs: number | undefined;
  let isFirst = true;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const response = await api.stream(path, lastId, signal);
      if (failures === 0 || lostAtMs !== undefined) {
        output.note(isFirst ? 'Listening. Ctrl-C ends it.' : 'Listening again.');
      }
      isFirst = false;
      lostAtMs = undefined;
      failures = 0;
      for await (const { id, event, data } of eventsOf(response)) {
        lastId = id ?? lastId;
        yield { type: event ?? 'message', data: JSON.parse(data) };
      }
    } catch (error) {
      if (signal.aborted) return;
      // Without a first answer nothing is lost yet: say at once what is wrong.
      if (isFirst || (error instanceof Refusal && error.status < 500)) throw error;
      lostAtMs ??= Date.now();
      if (Date.now() - lostAtMs > GIVE_UP_AFTER_MS) {
        throw error instanceof Failure
          ? error
          : new Failure('The stream broke off.', 1, { cause: error });
      }
      if (failures === 0) output.note('The connection was lost. Going on when it is back …');
    }
    const againMs = Math.min(AGAIN_MIN_MS * 2 ** Math.min(failures, 10), AGAIN_MAX_MS);
    await sleep(againMs, undefined, { signal }).catch(() => undefined);
  }
}

async function* eventsOf({ body }: Response) {
  if (body === null) return;
  yield* body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}
