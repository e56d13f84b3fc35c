import type { AuthAdminServiceServer } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { unary } from '@junction/service-kit/grpc';
import { z } from 'zod';
import type { RegisteredClient } from '../../application/client/ports.js';
import { clientName, grants, publicKeys } from '../../application/client/service-accounts.js';
import type { AdminOptions } from './admin-options.js';

type ClientMethods = Pick<
  AuthAdminServiceServer,
  'listClients' | 'registerClient' | 'rotateClientSecret' | 'setClientKeys' | 'revokeClient'
>;

const DAY_S = 86_400;

const clientId = z.string().regex(/^cli_[0-9a-f-]{36}$/, 'must be an id that `clients list` shows');
const overlapS = z
  .number()
  .int()
  .max(30 * DAY_S);
const jwks = z.string().transform((text, context) => {
  try {
    return publicKeys.parse(JSON.parse(text));
  } catch {
    context.addIssue('must be a JWK Set of one to five public keys, without private members');
    return z.NEVER;
  }
});
const registration = z.object({
  name: clientName,
  grants,
  jwks: z.union([z.literal('').transform(() => undefined), jwks]),
});
const rotation = z.object({ clientId, overlapS });
const newKeys = z.object({ clientId, jwks, overlapS });
const revocation = z.object({ clientId });

/** Clients by operators' hands. Secrets are in answers alone, never in the journal. */
export const clientMethods = ({ app: { clients }, journal, log }: AdminOptions): ClientMethods => ({
  listClients: unary(log, async (_, { caller }) => {
    await journal.read(caller, 'ListClients', {});
    return { clients: (await clients.list()).map(view) };
  }),

  registerClient: unary(log, async (request, { caller }) => {
    const client = checked(registration, request);
    return journal.change(caller, 'RegisterClient', { name: client.name }, async () => {
      const { clientId, secret = '' } = await clients.register(client);
      return { answer: { clientId, clientSecret: secret }, result: { clientId } };
    });
  }),

  rotateClientSecret: unary(log, async (request, { caller }) => {
    const { clientId, overlapS } = checked(rotation, request);
    return journal.change(caller, 'RotateClientSecret', { clientId, overlapS }, async () => {
      const rotated = await clients.rotateSecret(clientId, overlapS);
      const { secret = '', previousValidUntil } = rotated;
      return { answer: { clientSecret: secret, previousValidUntil }, result: {} };
    });
  }),

  setClientKeys: unary(log, async (request, { caller }) => {
    const { clientId, jwks, overlapS } = checked(newKeys, request);
    return journal.change(caller, 'SetClientKeys', { clientId, overlapS }, async () => {
      const { previousValidUntil } = await clients.setKeys(clientId, jwks, overlapS);
      return { answer: { secretsValidUntil: previousValidUntil }, result: {} };
    });
  }),

  revokeClient: unary(log, async (request, { caller }) => {
    const { clientId } = checked(revocation, request);
    return journal.change(caller, 'RevokeClient', { clientId }, async () => {
      await clients.revoke(clientId);
      return { answer: {}, result: {} };
    });
  }),
});

const view = ({ secretsValidUntil, grants, keyIds, ...client }: RegisteredClient) => ({
  ...client,
  grants: grants.map(({ audience, scopes }) => ({ audience, scopes: [...scopes] })),
  keyIds: [...keyIds],
  secrets: secretsValidUntil.length,
  previousValidUntil: secretsValidUntil.find((until) => until !== null) ?? undefined,
});

function checked<T>(schema: z.ZodType<T>, request: unknown): T {
  const { data, error } = schema.safeParse(request);
  if (data !== undefined) return data;
  throw new AppError('invalid_request', z.prettifyError(error ?? new z.ZodError([])));
}
