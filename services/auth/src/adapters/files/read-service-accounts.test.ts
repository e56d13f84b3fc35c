import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readServiceAccounts } from './read-service-accounts.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'accounts-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the file of service accounts', () => {
  it('that is missing, broken or wrong is named, and nothing in it is shown', async () => {
    const file = path.join(folder, 'accounts.json');
    await expect(readServiceAccounts(file)).rejects.toThrow(`${file} cannot be read`);

    await writeFile(file, '{"secret_sha256": "s3cret');
    const broken = await complaintOf(file);
    expect(broken).toContain(`${file} is not JSON`);

    await writeFile(file, '[{"client_id": "cli_worker", "secret_sha256": "s3cret"}]');
    const wrong = await complaintOf(file);
    expect(wrong).toContain('secret_sha256');
    expect(broken + wrong).not.toContain('s3cret');
  });
});

const complaintOf = async (file: string): Promise<string> =>
  readServiceAccounts(file).then(
    () => 'none',
    (error: unknown) => String(error),
  );
