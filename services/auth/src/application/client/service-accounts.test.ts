import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { serviceAccounts, serviceAccountsFile } from './service-accounts.js';

const worker = {
  client_id: 'cli_worker',
  name: 'worker',
  secret_sha256: createHash('sha256').update('s3cret').digest('hex'),
  grants: [{ audience: 'integrations' as const, scopes: ['tokens:read'] }],
};

describe('a service account', () => {
  const find = serviceAccounts([worker]);

  it('is found by its id and its secret together', () => {
    expect(find('cli_worker', 's3cret')).toBe(worker);
  });

  it('is not found with another secret or another id', () => {
    expect(find('cli_worker', 's3cret ')).toBeUndefined();
    expect(find('cli_stranger', 's3cret')).toBeUndefined();
    expect(find('', '')).toBeUndefined();
  });
});

describe('the file of service accounts', () => {
  const problems = (input: unknown) =>
    serviceAccountsFile.safeParse(input).error?.issues.map(({ path }) => path.join('.'));

  it('takes well-formed accounts', () => {
    expect(problems([worker])).toBeUndefined();
  });

  it('refuses a secret in clear, an unknown service and an unknown field, naming each', () => {
    const wrong = {
      ...worker,
      secret_sha256: 's3cret',
      grants: [{ audience: 'billing', scopes: ['tokens:read'] }],
    };
    expect(problems([wrong])).toEqual(['0.secret_sha256', '0.grants.0.audience']);
    expect(problems([{ ...worker, secret: 's3cret' }])).toEqual(['0']);
  });

  it('refuses two accounts of one id, and two grants for one service', () => {
    expect(problems([worker, worker])).toEqual(['']);
    const twice = [...worker.grants, ...worker.grants];
    expect(problems([{ ...worker, grants: twice }])).toEqual(['0.grants']);
  });
});
