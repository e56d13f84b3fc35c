import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT, run } from './manifests.js';

const folder = mkdtempSync(path.join(tmpdir(), 'junction-production-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Composed {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, string>>;
        readonly ports?: readonly string[];
        readonly depends_on?: Readonly<Record<string, object>>;
      }
    >
  >;
}

/** Returns what Compose makes of the two files. */
function composed(profiles: readonly string[]): Composed['services'] {
  const compose = [['docker', 'compose'], ['docker-compose']].find(
    ([command = '', ...args]) => spawnSync(command, [...args, 'version']).status === 0,
  );
  const [command = 'docker-compose', ...first] = compose ?? [];
  const files = ['docker-compose.yml', 'docker-compose.production.yml'].flatMap((file) => [
    '--file',
    path.join(ROOT, file),
  ]);
  const chosen = profiles.flatMap((profile) => ['--profile', profile]);
  const config = run(command, [...first, ...files, ...chosen, 'config']);
  return (parse(config) as Composed).services;
}

describe('docker-compose.production.yml', () => {
  const own = composed(['own']);

  it('has services that accept its settings, and topics', () => {
    const asked = ['auth', 'integrations', 'webhook-dispatcher'].map((service) => ({
      service,
      words: ['settings'],
      env: withSecrets(own[service]?.environment ?? {}),
    }));
    const { stdout } = spawnSync(
      process.execPath,
      [path.join(ROOT, 'packages/acceptance/test/read-settings.mjs')],
      { input: JSON.stringify(asked), encoding: 'utf8' },
    );
    expect(JSON.parse(stdout)).toEqual(
      asked.map(({ service }) => ({
        status: 1,
        stderr: expect.stringMatching(new RegExp(`^${service}: the commands are`)),
      })),
    );
    expect(own['topics']?.environment).toMatchObject(kafkaOf(own['auth']?.environment));
  });

  it('needs neither Postgres nor Kafka of its own to start', () => {
    const elsewhere = composed([]);
    for (const [name, { depends_on: needed = {} }] of Object.entries(elsewhere)) {
      if (name === 'kafka' || name === 'postgres') continue;
      expect({ name, needed: Object.keys(needed) }).toEqual({
        name,
        needed: expect.not.arrayContaining(['kafka']),
      });
      expect(Object.keys(needed)).not.toContain('postgres');
    }
  });

  it('publishes TLS to others, and all else to this machine alone', () => {
    const file = path.join(ROOT, 'docker-compose.production.yml');
    const { services } = parse(readFileSync(file, 'utf8'), { merge: true }) as Composed;
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['${TLS_PORT:-443}:8443']);
  });

  it('makes certificates once that the authority has signed for the names of its readers', () => {
    const at = path.join(folder, 'certificates');
    for (const reader of ['installation', 'auth', 'integrations', 'webhooks', 'kafka']) {
      mkdirSync(path.join(at, reader), { recursive: true });
    }
    const make = () => run('bash', [path.join(ROOT, 'infra/docker/make-certificates.sh'), at]);
    make();
    const made = readFileSync(path.join(at, 'auth/tls.crt'), 'utf8');
    const names = {
      auth: 'auth',
      integrations: 'integrations',
      webhooks: 'webhook-dispatcher',
      kafka: 'kafka',
    };
    for (const [reader, name] of Object.entries(names)) {
      const ca = path.join(at, reader, 'ca.crt');
      const own = path.join(at, reader, 'tls.crt');
      for (const purpose of ['sslserver', 'sslclient']) {
        const asked = ['verify', '-purpose', purpose, '-verify_hostname', name, '-CAfile', ca, own];
        expect(run('openssl', asked)).toContain('OK');
      }
    }
    make();
    expect(readFileSync(path.join(at, 'auth/tls.crt'), 'utf8')).toBe(made);
  });
});

const kafkaOf = (env: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('KAFKA_')));

/** The environment with a file for each secret that it names. */
const withSecrets = (env: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      if (!/(_SECRET|_DATABASE_URL|SMTP_URL|VAULT_KEYS)_FILE$/.test(name)) return [name, value];
      const file = path.join(folder, name);
      const secret = name.includes('DATABASE')
        ? 'postgres://a:Bq3-x@postgres/a'
        : name.includes('SMTP')
          ? 'smtps://mail.example.com'
          : name.includes('VAULT')
            ? `k1:${Buffer.alloc(32, 'x7').toString('base64url')}`
            : 'Bq3-x';
      writeFileSync(file, secret);
      return [name, file];
    }),
  );
