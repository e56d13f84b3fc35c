import { credentials, Metadata } from '@grpc/grpc-js';
import { IntegrationsServiceClient } from '@junction/contracts';
import type { TokenIssuer } from '@junction/testing';
import type { ServiceProcess, Used } from '../service-process.js';

const DEADLINE_MS = 30_000;
const CONNECT_AT_ONCE = 8;

/** Asks for the token of this user's mailbox, to live so many seconds; rejects with the gRPC error. */
export type Vend = (userId: string, minLifetimeS?: number) => Promise<string>;

/** A worker that asks for tokens at this address. */
export function vendingAt(
  address: string,
  issuer: TokenIssuer,
): { readonly vend: Vend; close(): void } {
  const client = new IntegrationsServiceClient(address, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${issuer.serviceToken('integrations', 'tokens:read')}`);
  return {
    vend: (userId, minLifetimeS = 0) =>
      new Promise((resolve, reject) => {
        const request = {
          userId,
          provider: 'mailbox',
          integrationId: '',
          scopes: ['mailbox.readonly'],
          minLifetimeS,
        };
        const deadline = { deadline: Date.now() + DEADLINE_MS };
        client.getAccessToken(request, metadata, deadline, (error, answer) =>
          error === null ? resolve(answer.accessToken) : reject(error),
        );
      }),
    close: () => client.close(),
  };
}

/** A replica of integrations, and its gRPC and HTTP callers. */
export interface Replica {
  readonly pid: number | undefined;
  used(): Promise<Used>;
  readonly vend: Vend;
  /** Connects the mailboxes of these users. */
  connect(users: readonly string[]): Promise<void>;
  /** Reads the connections of a user. */
  list(userId: string): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
}

export function replica(service: ServiceProcess, issuer: TokenIssuer): Replica {
  const caller = vendingAt(service.grpcAddress, issuer);
  const call = httpCaller(service.url, issuer);

  return {
    pid: service.pid,
    used: () => service.used(),

    vend: caller.vend,

    async connect(users) {
      const left = [...users];
      const work = async () => {
        for (let user = left.pop(); user !== undefined; user = left.pop()) {
          const begun = await call(user, 'GET', '/mailbox/authorize');
          const { authorization_url: url } = begun as { authorization_url: string };
          // The code of this provider is the nonce.
          const auth_code = new URL(url).searchParams.get('nonce');
          await call(user, 'POST', '/mailbox/connect', { auth_code });
        }
      };
      await Promise.all(Array.from({ length: CONNECT_AT_ONCE }, work));
    },

    async list(userId) {
      await call(userId, 'GET', '');
    },

    end(signal) {
      caller.close();
      return service.end(signal);
    },
  };
}

const httpCaller =
  (base: string, issuer: TokenIssuer) =>
  async (userId: string, method: string, place: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${base}/api/integrations${place}`, {
      method,
      headers: {
        authorization: `Bearer ${issuer.userToken(userId)}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${place} answered ${answer.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
