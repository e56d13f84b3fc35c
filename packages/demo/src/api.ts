/** The answer to one HTTP call. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body; undefined when there is none. */
  readonly body: unknown;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly text?: string;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

const TIMEOUT_MS = 30_000;

/** Calls the API at the gateway as any client would: over HTTP, with JSON, without code of the product. */
export const apiAt =
  (gateway: string): Call =>
  async (method, path, { token, headers, json, text } = {}) => {
    const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await fetch(new URL(path, gateway), {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const answer = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(answer) };
  };

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
