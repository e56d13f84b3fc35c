import { Client } from 'pg';

const ANSWER_MS = 2_000;

/** Whether a query is answered there. */
export async function answersQueries(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
