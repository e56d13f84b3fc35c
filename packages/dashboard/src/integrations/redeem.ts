import type { QueryClient } from '@tanstack/react-query';
import { isSignedOut } from '../api/client.js';
import type { Integration } from '../api/types.js';
import { integrationsQuery } from '../model/integrations-query.js';
import { forgetBegun } from './begun-states.js';
import type { Returned } from './callback.js';
import { connect } from './integration-queries.js';

const sent = new WeakMap<Returned, Promise<string>>();

/**
 * Sends the code to be exchanged: once, however often it is rendered. It works once. Gives the name of the
 * account that was connected.
 */
export function redeem(queries: QueryClient, returned: Returned): Promise<string> {
  const known = sent.get(returned);
  if (known) return known;
  const sending = send(queries, returned).catch((error: unknown) => {
    // A request without a session has not used the code up: the code is sent again after the sign-in.
    if (isSignedOut(error)) sent.delete(returned);
    throw error;
  });
  sent.set(returned, sending);
  return sending;
}

async function send(queries: QueryClient, { client, answer }: Returned): Promise<string> {
  if (answer.kind === 'error') throw new Error('The provider sent no code.');
  const connected = await connect(client, answer);
  forgetBegun(sessionStorage, client);
  const integrations = await queries.fetchQuery({ ...integrationsQuery, staleTime: 0 });
  const isIt = ({ integration_id: id }: Integration) => id === connected;
  return integrations.find(isIt)?.account ?? 'you agreed';
}
