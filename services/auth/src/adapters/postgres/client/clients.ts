import { createHash } from 'node:crypto';
import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Assertion, Client, ClientSecret } from '../../../application/client/ports.js';

const EXPIRED_MAX = 100;

export const postgresClients = (pool: pg.Pool) => ({
  /** Finds a client that operators registered. */
  async find(clientId: string) {
    const { rows } = await findClient(pool, { client_id: clientId });
    const [client] = rows;
    if (client === undefined) return undefined;
    const { name, grants, jwks } = client;
    const secrets = rows.filter(({ secretVersion }) => secretVersion !== null);
    return { clientId, name, grants, jwks: jwks ?? undefined, secrets };
  },

  /** Returns whether this is the first time that the assertion is shown, to any replica. */
  async useAssertion({ clientId, jti, expiresAt }: Assertion) {
    const hash = createHash('sha256').update(`${clientId}\n${jti}`).digest();
    const { rowCount } = await insertAssertion(pool, { hash, expires_at: expiresAt });
    return rowCount === 1;
  },
});

export const clientSecretTable = (tx: pg.ClientBase) => ({
  /** Adds a secret. The last one ends at `previousValidUntil` or earlier, the one before that at once. */
  async rotate({
    clientId,
    secretVersion,
    previousValidUntil,
    secretHash,
  }: {
    readonly clientId: string;
    readonly secretVersion: number;
    readonly previousValidUntil: string;
    readonly secretHash: Buffer;
  }) {
    const secret = { client_id: clientId, secret_version: secretVersion };
    await deleteOlderSecrets(tx, secret);
    await endSecrets(tx, { client_id: clientId, until: previousValidUntil });
    await insertSecret(tx, { ...secret, secret_hash: secretHash });
  },

  /** Ends the secrets of a client at this moment or earlier. */
  async end(clientId: string, until: string) {
    await endSecrets(tx, { client_id: clientId, until });
  },
});

const findClient = statement<Client & ClientSecret & { secretVersion: number | null }>(
  `
select client_id as "clientId", name, grants, jwks, secret_version as "secretVersion",
       secret_hash as hash, valid_until as "validUntil"
  from clients left join client_secrets using (client_id) where client_id = :client_id`,
  'auth/find-client',
);

/** Takes expired ones along, so the table needs no sweeper. */
const insertAssertion = statement(`
with expired as (
  select assertion_hash from client_assertions where expires_at <= now()
   limit ${EXPIRED_MAX} for update skip locked
), purged as (
  delete from client_assertions where assertion_hash in (select assertion_hash from expired)
)
insert into client_assertions (assertion_hash, expires_at) values (:hash, :expires_at)
on conflict do nothing`);

const deleteOlderSecrets = statement(
  'delete from client_secrets where client_id = :client_id and secret_version < :secret_version - 1',
);

const endSecrets = statement(`
update client_secrets set valid_until = least(valid_until, :until::timestamptz)
 where client_id = :client_id`);

const insertSecret = statement(`
insert into client_secrets (client_id, secret_version, secret_hash)
values (:client_id, :secret_version, :secret_hash)`);
