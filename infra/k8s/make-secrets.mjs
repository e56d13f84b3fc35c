#!/usr/bin/env node
// Prints the Secrets that are ours to make up, random on every call, for
//   node infra/k8s/make-secrets.mjs | kubectl create --namespace junction --filename -
// `create` refuses what is there already: a vault key that was replaced would open nothing any more.
// With the argument `development` also those that in production come from elsewhere: Postgres, providers.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const KEY_BYTES = 32;

/** The service accounts: each with the audiences and scopes for which auth gives it tokens. */
const ACCOUNTS = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../service-accounts.json'), 'utf8'),
);
/** The accounts that are services of ours; the others are for clients elsewhere. */
const SERVICES = ['integrations', 'webhook-dispatcher'];
const DATABASES = { auth: 'auth', integrations: 'integrations', 'webhook-dispatcher': 'webhooks' };

const random = () => randomBytes(KEY_BYTES).toString('base64url');

const secret = (name, stringData) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { 'app.kubernetes.io/part-of': 'junction' } },
  stringData,
});

function ours() {
  const accounts = ACCOUNTS.map((account) => ({ ...account, secret: random() }));
  const vault = () => ({ 'vault-keys': `k1:${random()}` });
  return [
    secret('auth', vault()),
    secret('auth-service-accounts', {
      'service-accounts.json': JSON.stringify(accounts.map(toldToAuth), null, 2),
    }),
    ...accounts.map(({ name, secret: own }) =>
      SERVICES.includes(name)
        ? secret(name, { ...vault(), 'client-secret': own })
        : secret(`${name}-client`, { 'client-secret': own }),
    ),
  ];
}

function toldToAuth({ name, grants, secret: own }) {
  const secret_sha256 = createHash('sha256').update(own).digest('hex');
  return { client_id: `cli_${name.replaceAll('-', '_')}`, name, secret_sha256, grants };
}

function developments() {
  const databases = Object.entries(DATABASES).map(([service, database]) => {
    const password = random();
    const uri = `postgresql://${database}:${password}@postgres:5432/${database}`;
    return secret(`${service}-postgres`, { password, uri });
  });
  return [
    secret('postgres', { password: random() }),
    ...databases,
    secret('development-providers', {
      'acme-mailbox': random(),
      'acme-calendar': random(),
      'globex-mailbox': random(),
      'globex-calendar': random(),
    }),
  ];
}

const [mode, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (mode !== undefined && mode !== 'development')) {
  console.error(
    'The one argument is "development"; without it only what production needs is made.',
  );
  process.exitCode = 1;
} else {
  const items = [...ours(), ...(mode === undefined ? [] : developments())];
  console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2));
}
