export type Fetch = typeof globalThis.fetch;

/** Bytes, after decoding, of the longest answer that is taken: metadata, keys, tokens and errors are far shorter. */
const ANSWER_BYTES_MAX = 256 * 1_024;
const DEADLINE_MS = 5_000;

/**
 * Returns a fetch whose answers have come whole when it resolves, so that a deadline covers the body too: that of the
 * signal, or five seconds where none is given. No redirect is followed, because each address was chosen by name.
 * Rejects with TypeError for an answer of more than 256 KB after decoding, of which no more is read.
 */
export const boundedFetch =
  (send: Fetch = fetch): Fetch =>
  async (url, init) => {
    const signal = init?.signal ?? AbortSignal.timeout(DEADLINE_MS);
    const response = await send(url, { ...init, signal, redirect: 'manual' }).catch(
      (error: unknown) => {
        throw naming(url, error);
      },
    );
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += (chunk as Uint8Array).length;
      // Leaving the loop cancels the rest.
      if (bytes > ANSWER_BYTES_MAX) throw tooLong();
      chunks.push(chunk as Uint8Array);
    }
    return new Response(bytes === 0 ? null : Buffer.concat(chunks), response);
  };

/** Returns the error with `server`, the host and port that were asked: a timeout names nobody. */
function naming(url: Parameters<Fetch>[0], error: unknown): unknown {
  const { host } = new URL(url instanceof Request ? url.url : url);
  return error instanceof Error ? Object.assign(error, { server: host }) : error;
}

/** An answer with the JSON in its body: undefined where it holds none. */
export interface JsonAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Asks by `boundedFetch`, and parses the answer. */
export async function fetchJson(
  url: string,
  init: RequestInit = {},
  send?: Fetch,
): Promise<JsonAnswer> {
  const response = await boundedFetch(send)(url, init);
  const { ok, status, headers } = response;
  return { ok, status, headers, body: await response.json().catch(() => undefined) };
}

/** As fetch itself does, it tells by a cause that the fault is not the caller's. */
const tooLong = (): TypeError =>
  new TypeError('The answer has more than 256 KB.', { cause: 'answer_too_long' });
