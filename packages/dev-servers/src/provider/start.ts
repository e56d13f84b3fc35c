import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWK } from 'jose';
import { errors } from 'oidc-provider';
import type { DevClient } from './clients.js';
import { type Control, createControl } from './control.js';
import { generateKeys, type ProviderKeys, rotateKeys } from './keys.js';
import { ACME, type Profile } from './profile.js';
import { createProvider, DEFAULT_LIFETIMES, type Lifetimes } from './provider.js';
import { addRoutes } from './routes.js';
import { createSecurityEvents } from './security-events.js';
import { readSnapshot, snapshotWriter } from './snapshot.js';
import { createStore, type Store } from './store.js';
import { createTransmitter } from './transmitter.js';

const CLOSE_DEADLINE_MS = 2_000;

export interface DevProviderOptions {
  /** Acme's without any. */
  readonly profile?: Profile;
  readonly clients: readonly DevClient[];
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** `http://localhost:<port>` without one. */
  readonly issuer?: string;
  /** Keeps grants and tokens over a restart. Without it they live in memory only. */
  readonly dataFile?: string | undefined;
  readonly lifetimes?: Partial<Lifetimes>;
  /** Whether the control answers HTTP requests from this machine too. */
  readonly control?: boolean;
  /** Receives failures of the provider itself; never tokens or codes. */
  readonly log?: (line: string) => void;
}

export interface DevProvider {
  readonly issuer: string;
  readonly port: number;
  readonly control: Control;
  /** Returns a security event token with these claims, signed as the provider signs the ones that it sends. */
  signSecurityEvent(claims: object, header?: object): Promise<string>;
  /** Resolves when the server is closed and the data file is written. */
  close(): Promise<void>;
}

/** Starts a development identity provider in this process and resolves when it answers. */
export async function start(options: DevProviderOptions): Promise<DevProvider> {
  const { profile = ACME, clients, dataFile, host = '127.0.0.1', log = () => {} } = options;
  const lifetimes = { ...DEFAULT_LIFETIMES, ...options.lifetimes };
  const memory = await remember(dataFile, log);
  const { store } = memory;

  // The issuer names the port, so the provider is made once the port is known.
  // Longer than a client keeps an idle connection, so that none is closed as its next request is on the way.
  const server = createServer({ keepAliveTimeout: 600_000 });
  const port = await listen(server, options.port ?? 0, host);
  const issuer = options.issuer ?? `http://localhost:${port}`;
  const key = () => memory.keys().signing as JWK;
  const told = profile.sendsSecurityEvents ? clients : [];
  const transmitter = createTransmitter({ issuer, clients: told, key, log });
  const events = createSecurityEvents(issuer, store, transmitter);
  const answerer = () => {
    const keys = memory.keys();
    const provider = createProvider({ issuer, profile, clients, keys, store, lifetimes });
    addRoutes(provider, { profile, store, control, overHttp, events, sign, log });
    provider.on('server_error', (_ctx, error: Error) => log(`${error.name}: ${error.message}`));
    return provider.callback();
  };
  // oidc-provider reads its keys once, so another one takes over what the store holds.
  const rotateSigningKey = async () => {
    memory.replaceKeys(await rotateKeys(memory.keys()));
    answer = answerer();
  };
  const control = createControl({ store, events, rotateSigningKey });
  const overHttp = options.control ?? false;
  const { sign } = transmitter;
  const close = async () => {
    await transmitter.close();
    await closeServer(server);
    await memory.close();
  };

  let answer: ReturnType<typeof answerer>;
  try {
    answer = answerer();
    server.on('request', (req, res) => void answer(req, res));
    memory.save();
  } catch (error) {
    await close();
    throw error;
  }
  return { issuer, port, control, close, signSecurityEvent: sign };
}

interface Memory {
  readonly store: Store;
  keys(): ProviderKeys;
  replaceKeys(keys: ProviderKeys): void;
  save(): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** Reads the data file. Without one, makes new keys. Later changes are written to the file. */
async function remember(
  dataFile: string | undefined,
  log: (line: string) => void,
): Promise<Memory> {
  const snapshot = dataFile === undefined ? undefined : await readSnapshot(dataFile);
  let keys = snapshot?.keys ?? (await generateKeys());
  const save = () => writer?.changed();
  const store = createStore({
    records: snapshot?.records ?? [],
    changed: save,
    usedTwice: () => new errors.InvalidGrant('already used'),
  });
  const take = () => ({ version: 1, keys, records: store.records() }) as const;
  const writer = dataFile === undefined ? undefined : snapshotWriter(dataFile, take, log);
  return {
    store,
    keys: () => keys,
    replaceKeys(next) {
      keys = next;
      save();
    },
    save,
    async close() {
      await writer?.close();
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening'); // Rejects with the server's error, a taken port for instance.
  return (server.address() as AddressInfo).port;
}

/** Lets running requests finish, but does not wait for them for ever. */
async function closeServer(server: Server): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_DEADLINE_MS);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearTimeout(deadline);
}
