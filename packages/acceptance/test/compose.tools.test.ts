import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readCompose } from './containers/compose-file.js';
import { buildOverlay, parseManifests, workloadsOf } from './manifests.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const services = Object.entries(readCompose(path.join(ROOT, 'docker-compose.yml')));
const ours = services.filter(([, { build }]) => build !== undefined);
const SECRET = /(_SECRET|_PASSWORD|_KEYS?|_TOKEN|_DATABASE_URL)$/;

let compose: readonly string[];

beforeAll(() => {
  compose = [['docker', 'compose'], ['docker-compose']].find(
    ([command = '', ...args]) => spawnSync(command, [...args, 'version']).status === 0,
  ) ?? [''];
  if (compose[0] === '') throw new Error('No compose here: apt-get install -y docker-compose');
});

describe('docker-compose.yml', () => {
  it.each([[[]], [['--profile', 'dev']], [['--profile', 'observability']]])(
    'is accepted with %j',
    (profile) => {
      const [command = '', ...args] = compose;
      const { status, stderr } = spawnSync(command, [...args, ...profile, 'config', '-q'], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  it.each(ours)('runs %s with nothing to write to and no right to gain', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: ['/tmp'],
    });
    expect(service.volumes.every((volume) => volume.endsWith(':ro'))).toBe(true);
  });

  it.each(services)('publishes %s to this machine only', (_name, { ports }) => {
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it.each(services)('gives %s no secret among its variables', (_name, { environment }) => {
    expect(Object.keys(environment).filter((name) => SECRET.test(name))).toEqual([]);
  });

  it.each(services)('pins the version of what %s is made from', (_name, { image, build }) => {
    if (build === undefined) expect(image).toMatch(/^[a-z/-]+:v?\d+\.\d+/);
    else expect(image).toMatch(/^junction\/[a-z-]+$/);
  });

  it('bounds memory as the manifests do', () => {
    const composed = services
      .filter(([name]) => name !== 'secrets') // a script outside the cluster
      .filter(([, { profiles }]) => !profiles.includes('observability')) // a cluster has its own
      .map(([, { image, mem_limit: limit }]) => `${nameOf(image)} ${limit.toUpperCase()}`);
    const inCluster = workloadsOf(parseManifests(buildOverlay('development'))).flatMap(({ pod }) =>
      pod.containers.map(
        ({ image, resources }) => `${nameOf(image)} ${resources.limits.memory.replace(/i$/, '')}`,
      ),
    );
    expect([...new Set(composed)].sort()).toEqual([...new Set(inCluster)].sort());
  });

  it.each(services)('mounts for %s what is in this repository', (_name, { volumes }) => {
    const files = volumes.filter((volume) => volume.startsWith('./'));
    const missing = files.filter(
      (volume) => !existsSync(path.join(ROOT, volume.split(':')[0] ?? '')),
    );
    expect(missing).toEqual([]);
  });

  it.each(services)('mounts for %s the files that its settings name', (_name, service) => {
    const named = Object.entries(service.environment).filter(
      ([name, file]) => name.endsWith('_FILE') && file.startsWith('/etc/junction/'),
    );
    const mounted = service.volumes.map((volume) => volume.split(':')[1]);
    expect(mounted).toEqual(expect.arrayContaining(named.map(([, file]) => file)));
  });

  it('gives integrations every variable that its providers name', () => {
    const file = readFileSync(path.join(ROOT, 'infra/providers.development.yaml'), 'utf8');
    const variables = [...file.matchAll(/: env:(\w+)/g)].map(([, name = '']) => name);
    expect(variables).toHaveLength(6);
    const given = Object.keys(Object.fromEntries(services)['integrations']?.environment ?? {});
    expect(given.map((name) => name.replace(/_FILE$/, ''))).toEqual(
      expect.arrayContaining(variables),
    );
  });

  it('shows each secret to its one reader', () => {
    const readers = new Map<string, Set<string>>();
    for (const [name, { image, volumes }] of services) {
      for (const volume of volumes.filter((volume) => volume.startsWith('secrets-'))) {
        const [secret = ''] = volume.split(':');
        if (name !== 'secrets') readers.set(secret, (readers.get(secret) ?? new Set()).add(image));
      }
    }
    expect(
      Object.fromEntries([...readers].map(([secret, images]) => [secret, images.size])),
    ).toEqual({
      'secrets-acme': 1,
      'secrets-globex': 1,
      'secrets-postgres': 1,
      'secrets-auth': 1,
      'secrets-integrations': 1,
      'secrets-monitoring': 1,
      'secrets-webhooks': 1,
    });
  });
});

const nameOf = (image: string) => image.replace(/:.*/, '');
