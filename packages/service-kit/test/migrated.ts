import { Client } from 'pg';
import type { KitMigration } from '../src/callers/migration.js';

/** Gives `useDatabase` a schema without the event store's migrator. */
export const migrated =
  (migrations: readonly KitMigration[]) =>
  async (url: string): Promise<void> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      for (const { up } of migrations) await up({ raw: (sql) => client.query(sql) });
    } finally {
      await client.end();
    }
  };
