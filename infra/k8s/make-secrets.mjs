#!/usr/bin/env node
// Prints the Secrets that are ours to make up, random on every call, for
//   node infra/k8s/make-secrets.mjs | kubectl create --namespace junction --filename -
// `create` refuses what is there already: a vault key that was replaced would open nothing any more.
// With the argument `development` also those that in production come from elsewhere: Postgres, providers.
import { createHash, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

// Who may ask auth for a token, for whom and to do what (docs/architecture.md).
const GRANTS = {
  producer: [{ audience: 'webhook-dispatcher', scopes: ['events:publish'] }],
  worker: [{ audience: 'integrations', scopes: ['tokens:read'] }],
  integrations: [{ audience: 'auth', scopes: ['credentials:verify'] }],
  'webhook-dispatcher': [{ audience: 'auth', scopes: ['credentials:verify'] }],
};

const DATABASES = { auth: 'auth', integrations: 'integrations', 'webhook-dispatcher': 'webhooks' };

const random = () => randomBytes(KEY_BYTES).toString('base64url');
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

const secret = (name, stringData) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { 'app.kubernetes.io/part-of': 'junction' } },
  stringData,
});

function ours() {
  const clients = Object.keys(GRANTS).map((name) => ({ name, secret: random() }));
  const secretOf = (wanted) => clients.find(({ name }) => name === wanted).secret;
  const vault = () => ({ 'vault-keys': `k1:${random()}` });
  const accounts = clients.map(({ name, secret }) => ({
    client_id: `cli_${name.replaceAll('-', '_')}`,
    name,
    secret_sha256: sha256(secret),
    grants: GRANTS[name],
  }));
  return [
    secret('auth', vault()),
    secret('auth-service-accounts', { 'service-accounts.json': JSON.stringify(accounts, null, 2) }),
    ...['integrations', 'webhook-dispatcher'].map((name) =>
      secret(name, { ...vault(), 'client-secret': secretOf(name) }),
    ),
    // Read by nobody here: hand them to your workers and producers.
    ...['worker', 'producer'].map((name) =>
      secret(`${name}-client`, { 'client-secret': secretOf(name) }),
    ),
  ];
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
    secret('providers', {
      'mailbox-client-secret': random(),
      'calendar-client-secret': random(),
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
