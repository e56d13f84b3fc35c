import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { declaredClients, serviceAccountsFile } from './service-accounts.js';

const HASH = createHash('sha256').update('s3cret').digest('hex');
const OTHER_HASH = createHash('sha256').update('another').digest('hex');

const worker = {
  client_id: 'cli_worker',
  name: 'worker',
  secret_sha256: HASH,
  grants: [{ audience: 'integrations' as const, scopes: ['tokens:read'] }],
};

describe('a service account', () => {
  it('is known by its id, with the hash of each of its secrets', () => {
    const clients = declaredClients([
      worker,
      { ...worker, client_id: 'cli_other', secret_sha256: [HASH, OTHER_HASH] },
    ]);
    expect(clients.get('cli_worker')).toMatchObject({
      grants: worker.grants,
      secrets: [{ hash: Buffer.from(HASH, 'hex'), validUntil: null }],
    });
    expect(clients.get('cli_other')?.secrets).toHaveLength(2);
    expect(clients.get('cli_stranger')).toBeUndefined();
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

  it('takes public keys in place of a secret, and no private ones', () => {
    const { secret_sha256: _, ...keyed } = worker;
    const key = { kty: 'OKP', crv: 'Ed25519', x: 'public', kid: 'k1' };
    expect(problems([{ ...keyed, jwks: { keys: [key] } }])).toBeUndefined();
    expect(problems([{ ...keyed, jwks: { keys: [{ ...key, d: 'private' }] } }])).toEqual([
      '0.jwks.keys.0',
    ]);
    expect(problems([{ ...keyed, jwks: { keys: [{ kty: 'oct', k: 'shared' }] } }])).toEqual([
      '0.jwks.keys.0',
    ]);
    expect(problems([keyed])).toEqual(['0']);
  });

  it('refuses two accounts of one id, and two grants for one service', () => {
    expect(problems([worker, worker])).toEqual(['']);
    const twice = [...worker.grants, ...worker.grants];
    expect(problems([{ ...worker, grants: twice }])).toEqual(['0.grants']);
  });
});
