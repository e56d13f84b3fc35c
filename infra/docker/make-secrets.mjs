// Makes the secrets of an installation, once, and lays each where its one reader mounts it:
//
//   make-secrets.mjs <folder> <service-accounts.json>
//
// Below the folder every reader has a folder of its own. `installation` alone says what the secrets
// are; the others are written from it each time, so that a lost or new one is put back.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const OWNER_ONLY = 0o600;
/** Each folder is mounted into one container, whose user is not ours. */
const READ_ONLY = 0o444;

const [folder, accountsFile] = process.argv.slice(2);
if (!folder || !accountsFile)
  throw new Error('Say where and whose: make-secrets.mjs /secrets accounts.json');

const accounts = JSON.parse(readFileSync(accountsFile, 'utf8'));
const databases = ['auth', 'integrations', 'webhooks'];
const providers = ['acme', 'globex'];
const kinds = ['mailbox', 'calendar'];
const secrets = installation();

write('postgres/admin', secrets['database.admin']);
write('postgres/monitoring', secrets['database.monitoring']);
write('monitoring/password', secrets['database.monitoring']);
for (const name of databases) {
  const password = secrets[`database.${name}`];
  write(`postgres/${name}`, password);
  write(`${name}/database-url`, `postgres://${name}:${password}@postgres:5432/${name}`);
  write(`${name}/vault-keys`, `k1:${secrets[`vault.${name}`]}`);
}
write('auth/service-accounts.json', JSON.stringify(accounts.map(toldToAuth), null, 2));
write('integrations/client-secret', secrets['client.integrations']);
write('webhooks/client-secret', secrets['client.webhook-dispatcher']);
for (const provider of providers) {
  const [mailbox, calendar] = kinds.map((kind) => secrets[`provider.${provider}.${kind}`]);
  write(`integrations/${provider}-mailbox-client-secret`, mailbox);
  write(`integrations/${provider}-calendar-client-secret`, calendar);
  write(
    `${provider}/provider.env`,
    `MAILBOX_CLIENT_SECRET=${mailbox}\nCALENDAR_CLIENT_SECRET=${calendar}`,
  );
}

/** Returns the secrets of the installation. Keeps those that exist, and adds the ones that a newer release needs. */
function installation() {
  const file = path.join(folder, 'installation/secrets.json');
  const present = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const names = [
    ...['admin', 'monitoring', ...databases].map((name) => `database.${name}`),
    ...databases.map((name) => `vault.${name}`),
    ...accounts.map(({ name }) => `client.${name}`),
    ...providers.flatMap((provider) => kinds.map((kind) => `provider.${provider}.${kind}`)),
  ];
  const all = Object.fromEntries(names.map((name) => [name, present[name] ?? random()]));
  write('installation/secrets.json', JSON.stringify({ ...present, ...all }, null, 2), OWNER_ONLY);
  return all;
}

function toldToAuth({ name, grants }) {
  const secret_sha256 = createHash('sha256').update(secrets[`client.${name}`]).digest('hex');
  return { client_id: `cli_${name.replaceAll('-', '_')}`, name, secret_sha256, grants };
}

/** Whole or not at all: half a key would lock a database for ever. */
function write(name, text, mode = READ_ONLY) {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, `${text}\n`, { mode });
  renameSync(aside, file);
}

function random() {
  return randomBytes(32).toString('base64url');
}
