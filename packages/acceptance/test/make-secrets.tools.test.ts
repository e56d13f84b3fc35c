import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  buildOverlay,
  documentedSecrets,
  parseManifests,
  ROOT,
  run,
  secretsOf,
  workloadsOf,
} from './manifests.js';

describe('make-secrets.mjs', () => {
  const documented = documentedSecrets();
  const script = path.join(ROOT, 'infra/k8s/make-secrets.mjs');
  const made = (...args: string[]): readonly SecretManifest[] =>
    (JSON.parse(run(process.execPath, [script, ...args])) as { items: SecretManifest[] }).items;

  it('makes every Secret that development needs, as the table has it', () => {
    const kept = new Map(made('development').map((one) => [one.metadata.name, one.stringData]));
    for (const [name, data] of kept) {
      expect(documented.get(name)).toEqual(Object.keys(data));
    }
    const workloads = workloadsOf(parseManifests(buildOverlay('development')));
    const needed = workloads.flatMap(({ pod }) => secretsOf(pod)).map(({ name }) => name);
    expect([...kept.keys()]).toEqual(expect.arrayContaining(needed));
  });

  it('tells auth the hash of each client’s secret', () => {
    const secrets = new Map(made().map((one) => [one.metadata.name, one.stringData]));
    const file = secrets.get('auth-service-accounts')?.['service-accounts.json'] ?? '';
    const accounts = JSON.parse(file) as { name: string; secret_sha256: string }[];
    expect(accounts).toHaveLength(5);
    for (const { name, secret_sha256: hash } of accounts) {
      const { 'client-secret': secret = '' } =
        secrets.get(name) ?? secrets.get(`${name}-client`) ?? {};
      expect(createHash('sha256').update(secret).digest('hex')).toBe(hash);
    }
  });

  it('makes others each time', () => {
    const vault = () => made().find(({ metadata }) => metadata.name === 'auth')?.stringData;
    expect(vault()).not.toEqual(vault());
  });
});

interface SecretManifest {
  readonly metadata: { readonly name: string };
  readonly stringData: Readonly<Record<string, string>>;
}
