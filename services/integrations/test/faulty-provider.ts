import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  calendarClient,
  mailboxClient,
  type ProviderProcess,
  startProviderProcess,
} from '@junction/dev-servers/provider';
import { freePort, listening, PUBLIC_URL } from '@junction/testing';

export const CLIENT_SECRET = 'a client secret of the tests';
export const redirectUri = (provider: string) => `${PUBLIC_URL}/connect/acme/${provider}/callback`;

const DRIP_MS = 100;

type Fields = Readonly<Record<string, unknown>>;

/** The development provider, a process of its own, and in front of it a proxy that records and alters its answers. */
export interface FaultyProvider extends ProviderProcess {
  /**
   * Changes the good answers of the token endpoint from now on; without `change` they stay as they are. When `change`
   * returns a function, that function answers itself.
   */
  alter(change?: (answer: Fields) => unknown): void;
  /** Answers the token endpoint instead of the provider, so that nothing happens there, or no longer. */
  answerInstead(answer?: (res: ServerResponse) => void): void;
  /** Changes its description of itself (OpenID Connect Discovery 1.0), or no longer. */
  describe(change?: (description: Fields) => Fields): void;
  /** Makes the provider call every token inactive that it is asked about from now on, or no longer. */
  callInactive(doesSo: boolean): void;
  /**
   * Keeps the next call of the token endpoint from the provider until the call is released; a call that is never
   * released has no effect there.
   */
  hold(): HeldCall;
  /** Ends every fault, and forgets the calls that were counted. */
  straighten(): Promise<void>;
  /** Stops listening at the provider's address, until `answerAgain`. */
  hangUp(): Promise<void>;
  answerAgain(): Promise<void>;
  /** Returns every secret that went over the wire: codes, verifiers, tokens, client credentials. */
  overheard(): ReadonlySet<string>;
}

export interface HeldCall {
  readonly arrived: Promise<void>;
  release(): void;
}

export interface FaultyProviderOptions {
  readonly accessTokenS?: number;
  /** Service that receives the events about its users' access. */
  readonly tells?: string;
  /** Whether its clients must push their authorization requests (RFC 9126). */
  readonly needsPushed?: boolean;
}

export async function startFaultyProvider({
  accessTokenS = 3_600,
  tells,
  needsPushed = false,
}: FaultyProviderOptions = {}): Promise<FaultyProvider> {
  let change: ((answer: Fields) => unknown) | undefined;
  let describing: ((description: Fields) => Fields) | undefined;
  const secrets = new Set<string>();
  const upstream = await freePort();
  let isMisjudging = false;
  let standIn: ((res: ServerResponse) => void) | undefined;
  let gate: (() => Promise<void>) | undefined;

  const proxy = createServer((req, res) => {
    if (req.url === '/token' && standIn) {
      req.resume();
      standIn(res);
      return;
    }
    const asked = async (form: URLSearchParams) => {
      noteAsked(secrets, form, req.headers.authorization);
      if (req.url !== '/token') return;
      const held = gate;
      gate = undefined;
      await held?.();
    };
    forward(req, res, upstream, asked, (answer) => {
      if ('keys' in answer) return { keys: [...(answer['keys'] as object[]), PUBLIC_JWK] };
      if ('token_endpoint' in answer) return describing ? describing(answer) : answer;
      if ('active' in answer) return isMisjudging ? { active: false } : answer;
      note(secrets, ...ISSUED.map((name) => answer[name]));
      return change ? change(answer) : answer;
    }).catch(() => res.destroy());
  });
  const { port, close: hangUp } = await listening(proxy);
  const issuer = `http://localhost:${port}`;

  const registered = (name: string) => {
    const eventsUri = tells && `${tells}/api/integrations/acme/${name}/security-events`;
    return [CLIENT_SECRET, redirectUri(name), eventsUri] as const;
  };
  const provider = await startProviderProcess({
    port: upstream,
    issuer,
    accessTokenS,
    clients: [
      mailboxClient('junction-mailbox', ...registered('mailbox')),
      calendarClient('junction-calendar', ...registered('calendar')),
    ].map((client) => ({ ...client, require_pushed_authorization_requests: needsPushed })),
  });

  return {
    ...provider,
    alter(next) {
      change = next;
    },
    answerInstead(next) {
      standIn = next;
    },
    describe(next) {
      describing = next;
    },
    callInactive(doesSo) {
      isMisjudging = doesSo;
    },
    hold() {
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      const arrived = new Promise<void>((onArrival) => {
        gate = async () => {
          onArrival();
          await released;
        };
      });
      return { arrived, release };
    },
    overheard: () => secrets,
    async straighten() {
      [change, describing, isMisjudging, gate] = [undefined, undefined, false, undefined];
      standIn = undefined;
      await provider.control.reset();
    },
    hangUp,
    async answerAgain() {
      if (proxy.listening) return;
      proxy.listen(port, '127.0.0.1');
      await once(proxy, 'listening');
    },
    async close() {
      await hangUp();
      await provider.close();
    },
  };
}

const ALTERED = new Set([
  '/token',
  '/jwks',
  '/token/introspection',
  '/.well-known/openid-configuration',
]);

async function forward(
  req: IncomingMessage,
  res: ServerResponse,
  port: number,
  onAsked: (form: URLSearchParams) => Promise<void>,
  onAnswer: (answer: Fields) => unknown,
): Promise<void> {
  const asked = await buffer(req);
  await onAsked(new URLSearchParams(asked.toString()));
  const { method, url: path, headers } = req;
  const inner = request({ host: '127.0.0.1', port, method, path, headers });
  inner.end(asked);
  const [answer] = (await once(inner, 'response')) as [IncomingMessage];
  let body = await buffer(answer);

  if (ALTERED.has(req.url ?? '') && answer.statusCode === 200) {
    const straight = JSON.parse(body.toString()) as Fields;
    const faulty = onAnswer(straight);
    if (typeof faulty === 'function') {
      (faulty as (res: ServerResponse) => void)(res);
      return;
    }
    body = Buffer.from(typeof faulty === 'string' ? faulty : JSON.stringify(faulty));
  }
  res.writeHead(answer.statusCode ?? 502, {
    ...answer.headers,
    'content-length': String(body.length),
  });
  res.end(body);
}

const ISSUED = ['access_token', 'refresh_token', 'id_token'];
const ASKED = ['code', 'code_verifier', 'refresh_token', 'token', 'client_secret'];

/**
 * Notes the secrets of a request, whatever the answer will be. The secrets of Basic (RFC 7617) stand behind the scheme.
 */
function noteAsked(secrets: Set<string>, form: URLSearchParams, authorization = ''): void {
  const [, basic] = authorization.split(' ');
  note(secrets, basic, ...ASKED.map((name) => form.get(name)));
}

function note(secrets: Set<string>, ...found: readonly unknown[]): void {
  for (const secret of found) {
    if (typeof secret === 'string' && secret !== '') secrets.add(secret);
  }
}

/**
 * Sends an answer that never ends: all but its last character, and then blanks. `onCut` is called when the other side
 * hangs up.
 */
export const dripping = (answer: Fields, onCut: () => void) => (res: ServerResponse) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.write(JSON.stringify(answer).slice(0, -1));
  const drip = setInterval(() => res.write(' '), DRIP_MS);
  res.once('close', () => {
    clearInterval(drip);
    onCut();
  });
};

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const PUBLIC_JWK = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: 'faulty' };

/**
 * Returns the same token with these claims, signed with a key of the proxy's own, which is published among the
 * provider's.
 */
export function withClaims(jwt: string, claims: object): string {
  const [, payload = ''] = jwt.split('.');
  const told = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const base64 = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${base64({ alg: 'RS256', kid: 'faulty' })}.${base64({ ...told, ...claims })}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}
