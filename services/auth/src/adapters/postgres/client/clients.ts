import { createHash } from 'node:crypto';
import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Assertion, Client, ClientSecret } from '../../../application/client/ports.js';
import { secretTable } from '../secrets.js';

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

export const clientSecretTable = secretTable('client_secrets', 'client_id');

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
