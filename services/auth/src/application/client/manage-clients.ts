import type { ClientCommand } from '../../domain/client/decider.js';
import type { ClientEvent, Grant, PublicKeys } from '../../domain/client/events.js';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import { streamOf } from '../streams.js';
import type { Transaction } from '../unit-of-work.js';

const SECRET_BYTES = 32;
const SECOND_MS = 1_000;

export interface NewClient {
  readonly name: string;
  readonly grants: readonly Grant[];
  /** Absent: it gets a secret. */
  readonly jwks?: PublicKeys | undefined;
}

export interface ClientWithSecret {
  readonly clientId: string;
  /** The answer alone holds it; nobody can read it again. Absent for a client with keys. */
  readonly secret?: string;
  /** Until when what it had before counts as well. */
  readonly previousValidUntil: Date;
}

/**
 * The operations of operators on clients. AppError `client_not_found` for a client that is unknown, revoked or
 * declared in the file.
 */
export const manageClients = (ports: Ports) => {
  const { newClientId, random, now } = ports;

  const change = changer(ports);
  const newSecret = () => `jn_cs_${random(SECRET_BYTES).toString('base64url')}`;

  return {
    async register({ name, grants, jwks }: NewClient): Promise<ClientWithSecret> {
      const clientId = newClientId();
      const at = now();
      const iso = at.toISOString();
      const registered = {
        type: 'RegisterClient' as const,
        data: { clientId, name, grants, at: iso },
      };
      if (jwks !== undefined) {
        const data = { jwks, secretsValidUntil: iso, at: iso };
        await change(clientId, [registered, { type: 'SetKeys', data }]);
        return { clientId, previousValidUntil: at };
      }
      const secret = newSecret();
      const data = { previousValidUntil: iso, at: iso };
      await change(clientId, [registered, { type: 'AddSecret', data }], secret);
      return { clientId, secret, previousValidUntil: at };
    },

    /** The last secret counts for `overlapS` seconds more, the one before that ends at once. */
    async rotateSecret(clientId: string, overlapS: number): Promise<ClientWithSecret> {
      const secret = newSecret();
      const previousValidUntil = later(now(), overlapS);
      const data = {
        previousValidUntil: previousValidUntil.toISOString(),
        at: now().toISOString(),
      };
      await change(clientId, [{ type: 'AddSecret', data }], secret);
      return { clientId, secret, previousValidUntil };
    },

    /** Sets the keys of a client, whose secrets count for `overlapS` seconds more. */
    async setKeys(clientId: string, jwks: PublicKeys, overlapS: number): Promise<ClientWithSecret> {
      const previousValidUntil = later(now(), overlapS);
      const secretsValidUntil = previousValidUntil.toISOString();
      const data = { jwks, secretsValidUntil, at: now().toISOString() };
      await change(clientId, [{ type: 'SetKeys', data }]);
      return { clientId, previousValidUntil };
    },

    /** Revokes a client: no token is issued from now on, and those issued before are good for ten minutes at most. */
    revoke: async (clientId: string): Promise<void> =>
      change(clientId, [{ type: 'RevokeClient', data: { at: now().toISOString() } }]),
  };
};

const changer =
  ({ unitOfWork }: Ports) =>
  async (clientId: string, commands: readonly ClientCommand[], secret = ''): Promise<void> =>
    unitOfWork.inTurn(streamOf.client(clientId), async (tx) => {
      for (const command of commands) {
        for (const event of await tx.handleClient(clientId, command)) {
          await saveSecrets(tx, event, hashOfSecret(secret));
        }
      }
    });

/** After a rotation two secrets count: the new one, and until its end the last one. */
async function saveSecrets(
  tx: Transaction,
  { type, data }: ClientEvent,
  secretHash: Buffer,
): Promise<void> {
  if (type === 'client.secret_added') {
    await tx.clientSecrets.addSecret({ ...data, holderId: data.clientId, secretHash });
  }
  if (type === 'client.keys_set') {
    await tx.clientSecrets.endSecrets(data.clientId, data.secretsValidUntil);
  }
}

const later = (moment: Date, seconds: number): Date =>
  new Date(moment.getTime() + seconds * SECOND_MS);
