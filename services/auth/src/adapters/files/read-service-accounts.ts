import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type ServiceAccount, serviceAccountsFile } from '../../application/service-accounts.js';

/** Throws an error that names the file and every mistake in it, and shows no secret and no hash. */
export async function readServiceAccounts(path: string): Promise<readonly ServiceAccount[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`SERVICE_ACCOUNTS_FILE: ${path} cannot be read.`, { cause });
  });
  const result = serviceAccountsFile.safeParse(jsonOf(text, path));
  if (result.success) return result.data;
  throw new Error(
    `SERVICE_ACCOUNTS_FILE: ${path} is not usable:\n${z.prettifyError(result.error)}`,
  );
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message would quote the file.
    throw new Error(`SERVICE_ACCOUNTS_FILE: ${path} is not JSON.`);
  }
}
