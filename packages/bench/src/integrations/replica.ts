import { credentials, Metadata } from '@grpc/grpc-js';
import { IntegrationsServiceClient } from '@junction/contracts';
import type { TokenIssuer } from '@junction/testing';
import type { ServiceProcess, Used } from '../service-process.js';

const DEADLINE_MS = 30_000;
const CONNECT_AT_ONCE = 8;

/** A replica of integrations, and its gRPC and HTTP callers. */
export interface Replica {
  used(): Promise<Used>;
  /** Asks for the token of this user's mailbox; rejects with the gRPC error. */
  vend(userId: string): Promise<string>;
  /** Connects the mailboxes of these users. */
  connect(users: readonly string[]): Promise<void>;
  disconnect(userId: string): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
}

export function replica(service: ServiceProcess, issuer: TokenIssuer): Replica {
  const client = new IntegrationsServiceClient(service.grpcAddress, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${issuer.serviceToken('integrations', 'tokens:read')}`);
  const call = httpCaller(service.url, issuer);

  return {
    used: () => service.used(),

    vend: (userId) =>
      new Promise((resolve, reject) => {
        const request = {
          userId,
          provider: 'mailbox',
          integrationId: '',
          scopes: ['mailbox.readonly'],
          minLifetimeS: 0,
        };
        const deadline = { deadline: Date.now() + DEADLINE_MS };
        client.getAccessToken(request, metadata, deadline, (error, answer) =>
          error === null ? resolve(answer.accessToken) : reject(error),
        );
      }),

    async connect(users) {
      const left = [...users];
      const work = async () => {
        for (let user = left.pop(); user !== undefined; user = left.pop()) {
          const begun = await call(user, 'GET', '/authorize');
          const { authorization_url: url } = begun as { authorization_url: string };
          // The code of this provider is the nonce.
          const auth_code = new URL(url).searchParams.get('nonce');
          await call(user, 'POST', '/connect', { auth_code });
        }
      };
      await Promise.all(Array.from({ length: CONNECT_AT_ONCE }, work));
    },

    async disconnect(userId) {
      await call(userId, 'DELETE', '');
    },

    end(signal) {
      client.close();
      return service.end(signal);
    },
  };
}

const httpCaller =
  (base: string, issuer: TokenIssuer) =>
  async (userId: string, method: string, place: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${base}/api/integrations/mailbox${place}`, {
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
