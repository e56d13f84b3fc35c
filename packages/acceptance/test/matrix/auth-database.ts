import type { Product } from '@junction/demo';
import { Client } from 'pg';

/** Runs one statement in the database of auth, as its own role. */
export async function inAuth<Row extends object>(
  { databaseUrls }: Product,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const database = new Client({
    connectionString: databaseUrls.find((url) => url.endsWith('/auth')),
  });
  await database.connect();
  try {
    return (await database.query<Row>(text, [...values])).rows;
  } finally {
    await database.end();
  }
}
