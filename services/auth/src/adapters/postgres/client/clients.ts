import { createHash } from 'node:crypto';
import type pg from 'pg';
import type {
  Assertion,
  Client,
  ClientSecret,
  ClientSecretTable,
  Clients,
  RegisteredClient,
} from '../../../application/client/ports.js';

const LIST_MAX = 1_000;
const EXPIRED_MAX = 100;

export const postgresClients = (pool: pg.Pool): Clients => ({
  async find(clientId) {
    const { rows } = await pool.query<Client & ClientSecret & { secretVersion: number | null }>({
      name: 'auth/find-client',
      text: `select client_id as "clientId", name, grants, jwks, secret_version as "secretVersion",
                    secret_hash as hash, valid_until as "validUntil"
               from clients left join client_secrets using (client_id) where client_id = $1`,
      values: [clientId],
    });
    const [client] = rows;
    if (client === undefined) return undefined;
    const { name, grants, jwks } = client;
    const secrets = rows.filter(({ secretVersion }) => secretVersion !== null);
    return { clientId, name, grants, jwks: jwks ?? undefined, secrets };
  },

  async list() {
    const { rows } = await pool.query<RegisteredClient>(
      `select client_id as "clientId", name, grants, created_at as "createdAt",
              coalesce(array(select key ->> 'kid' from jsonb_array_elements(jwks -> 'keys') key), '{}') as "keyIds",
              array(select valid_until from client_secrets where client_id = c.client_id
                     and (valid_until is null or valid_until > now()) order by secret_version desc)
                as "secretsValidUntil"
         from clients c order by created_at desc, client_id desc limit ${LIST_MAX}`,
    );
    return rows;
  },

  useAssertion: async (assertion) => useAssertion(pool, assertion),
});

/** Takes expired ones along, so the table needs no sweeper. */
async function useAssertion(
  pool: pg.Pool,
  { clientId, jti, expiresAt }: Assertion,
): Promise<boolean> {
  const hash = createHash('sha256').update(`${clientId}\n${jti}`).digest();
  const { rowCount } = await pool.query(
    `with expired as (
         select assertion_hash from client_assertions where expires_at <= now()
          limit ${EXPIRED_MAX} for update skip locked
       ), purged as (
         delete from client_assertions where assertion_hash in (select assertion_hash from expired)
       )
       insert into client_assertions (assertion_hash, expires_at) values ($1, $2)
       on conflict do nothing`,
    [hash, expiresAt],
  );
  return rowCount === 1;
}

export const clientSecretTable = (tx: pg.ClientBase): ClientSecretTable => ({
  async rotate({ clientId, secretVersion, previousValidUntil, secretHash }) {
    await tx.query('delete from client_secrets where client_id = $1 and secret_version < $2', [
      clientId,
      secretVersion - 1,
    ]);
    await endSecrets(tx, clientId, previousValidUntil);
    await tx.query(
      'insert into client_secrets (client_id, secret_version, secret_hash) values ($1, $2, $3)',
      [clientId, secretVersion, secretHash],
    );
  },

  end: async (clientId, until) => endSecrets(tx, clientId, until),
});

async function endSecrets(tx: pg.ClientBase, clientId: string, until: string): Promise<void> {
  await tx.query(
    `update client_secrets set valid_until = least(valid_until, $2::timestamptz) where client_id = $1`,
    [clientId, until],
  );
}
