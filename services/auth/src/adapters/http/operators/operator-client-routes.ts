import { actorOf } from '@junction/operations';
import { moment, readList } from '@junction/service';
import { mount, parse } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { clientName, grants, publicKeys } from '../../../application/service-accounts.js';
import { registeredClients } from '../../postgres/client/client-reads.js';
import type { OperatorRoutesOptions } from './operator-options.js';

const DAY_S = 86_400;

const one = z.object({
  id: z.string().regex(/^cli_[0-9a-f-]{36}$/, 'must be an id that `clients list` shows'),
});
const overlap_s = z
  .int()
  .min(0)
  .max(30 * DAY_S)
  .describe('Seconds for which what the client had before counts as well.');
const jwks = publicKeys.describe('A JWK Set of public keys (RFC 7517).');

const registration = z.strictObject({
  name: clientName,
  grants,
  jwks: jwks.optional().describe('Absent: the client gets a secret.'),
});
const rotation = z.strictObject({ overlap_s });
const newKeys = z.strictObject({ jwks, overlap_s });

const client_secret = z.string().describe('Secret, which is shown this once.');

/** Adds the routes for clients of operators. Secrets are in answers alone, and never in the journal. */
export function addClientRoutes(tools: Router, options: OperatorRoutesOptions): void {
  addList(tools, options);
  addRegistration(tools, options);
  addRevocation(tools, options);
  addSecretRotation(tools, options);
  addKeys(tools, options);
}

function addList(tools: Router, { reading }: OperatorRoutesOptions): void {
  readList(tools, reading, {
    id: 'listClients',
    path: '/api/ops/auth/clients',
    summary: 'List the clients that operators registered, the newest first',
    about: 'Clients of SERVICE_ACCOUNTS_FILE are not in the list.',
    read: registeredClients,
    member: 'items',
  });
}

function addRegistration(
  tools: Router,
  { app: { clients }, journal }: OperatorRoutesOptions,
): void {
  mount(
    tools,
    {
      id: 'registerClient',
      method: 'post',
      path: '/api/ops/auth/clients',
      summary: 'Register a client with a secret, or with keys in its place',
      about: 'The secret is shown this once.',
      body: registration,
      example: {
        name: 'billing',
        grants: [{ audience: 'integrations', scopes: ['tokens:read'] }],
      },
      answer: z.object({
        client_id: z.string(),
        client_secret: client_secret.nullable(),
      }),
      status: 201,
    },
    async ({ res, body }) => {
      const client = body();
      return journal.change(actorOf(res), 'RegisterClient', { name: client.name }, async () => {
        const { clientId, secret = null } = await clients.register(client);
        return { answer: { client_id: clientId, client_secret: secret }, result: { clientId } };
      });
    },
  );
}

function addRevocation(tools: Router, { app: { clients }, journal }: OperatorRoutesOptions): void {
  mount(
    tools,
    {
      id: 'revokeClient',
      method: 'delete',
      path: '/api/ops/auth/clients/:id',
      summary: 'End a client, which gets no token any more',
      about: 'Tokens that it has got count until they run out, ten minutes at most.',
      status: 204,
      problems: ['client_not_found'],
    },
    async ({ req, res }) => {
      const { id: clientId } = parse(one, req.params);
      await journal.change(actorOf(res), 'RevokeClient', { clientId }, async () => {
        await clients.revoke(clientId);
        return { answer: undefined, result: {} };
      });
    },
  );
}

function addSecretRotation(
  tools: Router,
  { app: { clients }, journal }: OperatorRoutesOptions,
): void {
  mount(
    tools,
    {
      id: 'rotateClientSecret',
      method: 'post',
      path: '/api/ops/auth/clients/:id/rotate-secret',
      summary: 'Give a client a new secret beside the last one',
      about: 'The last secret counts for `overlap_s` seconds more. The new one is shown this once.',
      body: rotation,
      example: { overlap_s: DAY_S },
      answer: z.object({ client_secret, previous_valid_until: moment }),
      problems: ['client_not_found'],
    },
    async ({ req, res, body }) => {
      const { id: clientId } = parse(one, req.params);
      const { overlap_s: overlapS } = body();
      const asked = { clientId, overlapS };
      return journal.change(actorOf(res), 'RotateClientSecret', asked, async () => {
        const rotated = await clients.rotateSecret(clientId, overlapS);
        const { secret = '', previousValidUntil } = rotated;
        const answer = { client_secret: secret, previous_valid_until: previousValidUntil };
        return { answer, result: {} };
      });
    },
  );
}

function addKeys(tools: Router, { app: { clients }, journal }: OperatorRoutesOptions): void {
  mount(
    tools,
    {
      id: 'setClientKeys',
      method: 'post',
      path: '/api/ops/auth/clients/:id/keys',
      summary: 'Give a client keys in place of its secrets (private_key_jwt)',
      about:
        'Secrets of the client count for `overlap_s` seconds more. A key with a private member is refused.',
      body: newKeys,
      example: {
        jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), kid: 'key-1' }] },
        overlap_s: DAY_S,
      },
      answer: z.object({ secrets_valid_until: moment }),
      problems: ['client_not_found'],
    },
    async ({ req, res, body }) => {
      const { id: clientId } = parse(one, req.params);
      const { jwks, overlap_s: overlapS } = body();
      const asked = { clientId, overlapS };
      return journal.change(actorOf(res), 'SetClientKeys', asked, async () => {
        const { previousValidUntil } = await clients.setKeys(clientId, jwks, overlapS);
        return { answer: { secrets_valid_until: previousValidUntil }, result: {} };
      });
    },
  );
}
