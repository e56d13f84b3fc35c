import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';

export interface NewSecret {
  /** Id of the API key or the client. */
  readonly holderId: string;
  /** Number of the secret, counted from 1. */
  readonly secretVersion: number;
  readonly secretHash: Buffer;
  readonly previousValidUntil: string;
}

/** Declares the table of the secrets of API keys or clients, which have two at most. */
export function secretTable(table: string, holder: string) {
  const deleteOlder = statement(
    `delete from ${table} where ${holder} = :holder_id and secret_version < :secret_version - 1`,
  );
  const end = statement(
    `update ${table} set valid_until = least(valid_until, :until::timestamptz) where ${holder} = :holder_id`,
  );
  const insert = statement(
    `insert into ${table} (${holder}, secret_version, secret_hash) values (:holder_id, :secret_version, :secret_hash)`,
  );

  return (tx: pg.ClientBase) => ({
    /** Adds a secret. The last one ends at `previousValidUntil` or earlier, the one before that at once. */
    async addSecret({ holderId, secretVersion, secretHash, previousValidUntil }: NewSecret) {
      const secret = { holder_id: holderId, secret_version: secretVersion };
      await deleteOlder(tx, secret);
      await end(tx, { holder_id: holderId, until: previousValidUntil });
      await insert(tx, { ...secret, secret_hash: secretHash });
    },

    /** Ends the secrets of a holder at this moment or earlier. */
    async endSecrets(holderId: string, until: string) {
      await end(tx, { holder_id: holderId, until });
    },
  });
}
