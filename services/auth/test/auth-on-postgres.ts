import type { PostgresEventStore } from '@junction/eventsourcing/postgres';
import { readItem } from '@junction/service';
import { storeOn } from '@junction/service/testing';
import type { TestDatabase } from '@junction/testing';
import { keyRing, subjectVault } from '@junction/vault';
import { hash } from '@node-rs/argon2';
import type pg from 'pg';
import { passwordHasher } from '../src/adapters/argon2/password-hasher.js';
import { accessTokens } from '../src/adapters/jwt/access-tokens.js';
import { clientAssertions } from '../src/adapters/jwt/client-assertions.js';
import { foreignTokens } from '../src/adapters/jwt/foreign-tokens.js';
import { type SigningKeys, signingKeys } from '../src/adapters/jwt/signing-keys.js';
import { user } from '../src/adapters/postgres/account/account-reads.js';
import { apiKeys } from '../src/adapters/postgres/api-key/api-key-reads.js';
import { postgresLimits } from '../src/adapters/postgres/limits.js';
import { liveSessions } from '../src/adapters/postgres/session/session-reads.js';
import { loadSigningKeys } from '../src/adapters/postgres/signing-key/signing-key-store.js';
import { tablesOn } from '../src/adapters/postgres/tables.js';
import { authenticatorCodes } from '../src/adapters/totp/totp.js';
import { unsubscribeTokens } from '../src/adapters/vault/unsubscribe-tokens.js';
import { webAuthn } from '../src/adapters/webauthn/webauthn.js';
import { type Application, application } from '../src/application/application.js';
import { accountGone } from '../src/application/me.js';
import type { Ports } from '../src/application/ports.js';
import type { LoginRequest } from '../src/application/session/login.js';
import type { Tokens } from '../src/application/session-tokens.js';
import { ensureSigningKey } from '../src/application/signing-key/rotate-signing-keys.js';
import type { AuthEvent } from '../src/domain/auth-event.js';
import { randomness } from '../src/parts/platform.js';
import { service } from '../src/service.js';

export const REFRESH_TTL_MS = 30 * 24 * 60 * 60 * 1_000;
export const SIGNING_KEY_ROTATION_MS = 90 * 24 * 60 * 60 * 1_000;
export const REUSE_WINDOW_MS = 10_000;

export interface AuthOnPostgres {
  readonly app: Application & ReturnType<typeof readsOn>;
  readonly ports: Ports;
  readonly store: PostgresEventStore<AuthEvent>;
  readonly keys: SigningKeys;
  /** Moves the application's clock forward; the database's and the limits' stay as they are. */
  readonly later: (ms: number) => void;
}

export const RING_TEXT = `k1:${Buffer.alloc(32, 7).toString('base64url')}`;
export const testRing = () => keyRing(RING_TEXT);

const hasher = passwordHasher({ atOnceMax: 2, waitingMax: 32 });
/** The least that argon2 can be told to do. A hash says what it cost, so the hasher verifies it as any other. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** The application as service.ts builds it, on a real database, without the servers and the relay. */
export async function authOnPostgres(
  { pool }: TestDatabase,
  ring = testRing(),
  issuerSignIns: Ports['issuerSignIns'] = new Map(),
  trustedIssuers: Ports['trustedIssuers'] = new Map(),
): Promise<AuthOnPostgres> {
  let offsetMs = 0;
  const now = () => new Date(Date.now() + offsetMs);
  const vault = subjectVault({ pool, ring });
  const store = storeOn(service.streams, pool, vault);
  const nothing = () => {};
  const after = { events: nothing, mail: nothing, signingKey: nothing };
  const tables = tablesOn({ pool, store, vault, ring, isMailOpen: true, after });
  await ensureSigningKey({ ...tables, now });
  const keys = await signingKeys(() => loadSigningKeys(pool, ring), now);
  const roomy = { points: 1_000, windowS: 60 };
  const publicUrl = 'https://junction.example';

  const ports: Ports = {
    ...tables,
    passwords: { ...(await hasher), hash: async (password) => hash(password, CHEAP) },
    limits: postgresLimits({
      pool,
      limits: () => ({ loginOfAccount: roomy, loginOfNetwork: roomy, registration: roomy }),
    }),
    accessTokens: accessTokens({
      keys,
      publicUrl,
      accessTokenTtlS: 600,
      now,
      requireVerifiedEmail: true,
    }),
    declaredClients: new Map(),
    totp: authenticatorCodes('Junction'),
    webAuthn: webAuthn(publicUrl),
    clientAssertions: clientAssertions({ publicUrl, now }),
    unsubscribeTokens: unsubscribeTokens(ring),
    foreignTokens: foreignTokens([]),
    issuerSignIns,
    trustedIssuers,
    now,
    ...randomness,
  };

  const app = application(ports, {
    refreshTokenTtlMs: REFRESH_TTL_MS,
    reuseWindowMs: REUSE_WINDOW_MS,
    signingKeyRotationMs: SIGNING_KEY_ROTATION_MS,
    portalOrigins: [],
  });
  return {
    app: { ...app, ...readsOn(pool) },
    ports,
    store,
    keys,
    later: (ms) => {
      offsetMs += ms;
    },
  };
}

/** Returns the reads of the routes, as a user asks for them. */
const readsOn = (pool: pg.Pool) => ({
  me: async (userId: string) =>
    readItem({ read: user, missing: accountGone }, pool, { user_id: userId }),
  listSessions: async (userId: string) => liveSessions.rows(pool, { user_id: userId }),
  listApiKeys: async (userId: string) => apiKeys.rows(pool, { user_id: userId }),
});

let people = 0;

/** Gives another person with each call. */
export const newcomer = () => ({
  email: `somebody-${++people}@example.com`,
  password: 'correct horse battery',
  visitor: { ip: '192.0.2.1', onLimit: () => {} },
});

/** Logs in somebody who has no second factor. */
export async function loggedIn(app: Application, request: LoginRequest): Promise<Tokens> {
  const outcome = await app.login(request);
  if ('mfaToken' in outcome) throw new Error('This login waits for a second factor.');
  return outcome;
}

/** Returns the code with which a call is refused. */
export const codeOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => {
      throw new Error('The call was not refused.');
    },
    (error: { readonly code: string }) => error.code,
  );
