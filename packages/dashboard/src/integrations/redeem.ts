import type { QueryClient } from '@tanstack/react-query';
import { isSignedOut } from '../api/client.js';
import type { Integration, Provider } from '../api/types.js';
import { forgetBegun } from './begun-states.js';
import { type Returned, replacedAccount } from './callback.js';
import { connect, integrationsQuery } from './integration-queries.js';

export interface Redeemed {
  readonly account: string | undefined;
  /** The account that was connected before, when it is another one. */
  readonly replaced: string | undefined;
}

const sent = new WeakMap<Returned, Promise<Redeemed>>();

/** Sends the code to be exchanged: once, however often it is rendered. It works once. */
export function redeem(queries: QueryClient, returned: Returned): Promise<Redeemed> {
  const known = sent.get(returned);
  if (known) return known;
  const sending = send(queries, returned).catch((error: unknown) => {
    // Who was not let in has used nothing up, and comes back signed in.
    if (isSignedOut(error)) sent.delete(returned);
    throw error;
  });
  sent.set(returned, sending);
  return sending;
}

async function send(queries: QueryClient, { provider, answer }: Returned): Promise<Redeemed> {
  if (answer.kind === 'error') throw new Error('The provider sent no code.');
  const before = await accountOf(queries, provider);
  await connect(provider, answer);
  forgetBegun(sessionStorage, provider);
  const account = await accountOf(queries, provider);
  return { account, replaced: replacedAccount(before, account) };
}

async function accountOf(queries: QueryClient, provider: Provider): Promise<string | undefined> {
  const integrations = await queries.fetchQuery({ ...integrationsQuery, staleTime: 0 });
  const isIt = (one: Integration) => one.provider === provider;
  return integrations.find(isIt)?.account;
}
