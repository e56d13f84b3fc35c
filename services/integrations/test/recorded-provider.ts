import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '@junction/testing';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

const HOUR_S = 3_600;

/** Answers of a provider, as its documentation shows them. */
export interface Recording {
  /** Origins of the provider: requests to them come here. */
  readonly origins: readonly string[];
  /** Descriptions of the provider, by the path that serves them. */
  readonly descriptions: Readonly<Record<string, object>>;
  /** Path of the provider's keys. */
  readonly jwksPath: string;
  /** Issuers with a key of their own, besides the key that signs for all. */
  readonly issuersWithKey?: readonly string[];
}

export interface TokenAnswer {
  readonly status?: number;
  /** Claims of an id_token, which is signed and replaces this field. */
  readonly idToken?: JWTPayload;
  /** Issuer whose key signs the id_token. Absent: the key that signs for all. */
  readonly keyOf?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of the answer. A text is sent as it is. */
  readonly body: Readonly<Record<string, unknown>> | string;
  /** Answers as application/x-www-form-urlencoded. */
  readonly isForm?: boolean;
}

/** Server of our own that answers like a real provider. */
export interface RecordedProvider {
  /** Calls the provider's origins at this server. */
  readonly fetch: typeof fetch;
  /** Sets the answers to the next calls of the token endpoint, in turn. */
  answer(...answers: readonly TokenAnswer[]): void;
  /** Publishes, instead of the keys, the result of `change`, until the next call. */
  publish(change?: (keys: readonly JWK[]) => readonly unknown[]): void;
  /** Forms that the token endpoint was sent. */
  readonly asked: URLSearchParams[];
  /** Authorization headers that came with the forms. */
  readonly authorizations: (string | undefined)[];
  close(): Promise<void>;
}

/** Answers requests over HTTP with what was recorded, and signs id_tokens with a key of its own. */
export async function startRecordedProvider(recording: Recording): Promise<RecordedProvider> {
  const keys = await Promise.all([undefined, ...(recording.issuersWithKey ?? [])].map(signingKey));
  const signed = async (claims: JWTPayload, keyOf: string | undefined) => {
    const key = keys.find(({ jwk }) => jwk['issuer'] === keyOf);
    if (key === undefined) throw new TypeError(`${keyOf} has no key.`);
    const nowS = Math.floor(Date.now() / 1_000);
    return new SignJWT({ iat: nowS, exp: nowS + HOUR_S, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
      .sign(key.privateKey);
  };

  const waiting: TokenAnswer[] = [];
  const asked: URLSearchParams[] = [];
  const authorizations: (string | undefined)[] = [];
  let published: (keys: readonly JWK[]) => readonly unknown[] = (keys) => keys;
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const send = (status: number, body: object | string, headers: TokenAnswer['headers'] = {}) =>
      res
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body));
    const path = req.url ?? '';
    const description = recording.descriptions[path];
    if (description) return void send(200, description);
    if (path === recording.jwksPath) {
      return void send(200, { keys: published(keys.map(({ jwk }) => jwk)) });
    }
    asked.push(new URLSearchParams(await text(req)));
    authorizations.push(req.headers.authorization);
    const { status = 200, idToken, keyOf, headers, isForm, body } = waiting.shift() ?? NOTHING;
    if (typeof body === 'string') return void send(status, body, headers);
    const fields = { ...body, ...(idToken && { id_token: await signed(idToken, keyOf) }) };
    if (isForm) sendForm(res, status, fields);
    else send(status, fields, headers);
  };

  const server = createServer((req, res) => void serve(req, res));
  const { url: here, close } = await listening(server);
  return {
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (!recording.origins.includes(url.origin))
        throw new TypeError(`${url.origin} is elsewhere.`);
      return fetch(`${here}${url.pathname}${url.search}`, init);
    },
    answer: (...answers) => void waiting.push(...answers),
    publish: (change = (keys) => keys) => void (published = change),
    asked,
    authorizations,
    close,
  };
}

const NOTHING: TokenAnswer = { status: 404, body: {} };

function sendForm(res: ServerResponse, status: number, body: Readonly<Record<string, unknown>>) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) form.set(name, String(value));
  res.writeHead(status, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' });
  res.end(form.toString());
}

async function signingKey(issuer: string | undefined) {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const kid = issuer ?? 'recorded';
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256', issuer };
  return { kid, jwk, privateKey };
}
