import type { ServerResponse } from 'node:http';
import type { Ports } from '../src/application/ports.js';
import { refresher } from '../src/application/refreshing/refresh.js';
import { tokenRequests } from '../src/application/token-requests.js';
import type { FaultyProvider } from './faulty-provider.js';
import { newUser, type useAdapters } from './on-postgres.js';
import { consentedAt, mailboxAt } from './on-provider.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Creates an answer of the token endpoint. */
export const answering =
  (status: number, body?: string, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
  (res: ServerResponse) =>
    void res.writeHead(status, headers).end(body);

/** Connects a new user with tokens of the provider. Each try comes after the rest of the try before. */
export const renewing =
  (adapters: ReturnType<typeof useAdapters>, faulty: () => FaultyProvider) => async () => {
    const { issuer } = faulty();
    const { email, exchange } = await consentedAt(issuer);
    const user = newUser(adapters);
    await user.connect(await exchange());
    await faulty().control.reset();
    const renewWith = async (changes: Partial<Ports> = {}, requests = tokenRequests()) => {
      const providers = new Map([['acme/mailbox', mailboxAt(issuer)] as const]);
      const ports = { ...adapters().ports, providers, ...changes };
      const connection = {
        identityProvider: 'acme',
        provider: 'mailbox' as const,
        connectionId: await user.connectionId(),
        credentialVersion: 1,
      };
      await refresher(ports, requests).renew(connection);
    };
    const renewAtOnce = async (refreshTimeoutS?: number) => {
      const provider = mailboxAt(issuer, {}, { ...(refreshTimeoutS && { refreshTimeoutS }) });
      await renewWith({ providers: new Map([['acme/mailbox', provider] as const]) });
    };
    const afterRest = async (refreshTimeoutS?: number) => {
      await user.change('next_attempt_at = now()');
      await renewAtOnce(refreshTimeoutS);
    };
    const remembered = async () => {
      const { rows } = await adapters().pool.query<{
        answer_lost: boolean;
        unclear_since: Date | null;
      }>('select answer_lost, unclear_since from credentials where connection_id = $1', [
        await user.connectionId(),
      ]);
      if (rows[0] === undefined) throw new Error('There are no credentials any more.');
      return rows[0];
    };
    return {
      ...user,
      email,
      renewWith,
      renewAtOnce,
      renew: async () => afterRest(),
      renewImpatiently: async () => afterRest(0.2),
      /** The answer of a refresh was: the old token is kept for the end of the access token. */
      isLost: async () => (await remembered()).answer_lost,
      /** Since when answers have left open whether the grant still stands. */
      unclearSince: async () => (await remembered()).unclear_since,
    };
  };
