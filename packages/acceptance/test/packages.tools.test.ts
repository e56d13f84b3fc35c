import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Person, signUp, useProduct } from '@junction/demo';
import { apiAt, type Receiver, startReceiver } from '@junction/testing';
import { contentsOf, ROOT, run, usePackages } from './installed.js';

const MINUTE = 60_000;
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
/** Arguments without skipLibCheck, because the declarations of a package must be complete. */
const COMPILE = [TSC, '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
const NODE_TYPES = '@types/node@20';

const { tarballs, nodes, installed } = usePackages();

it('packing makes the packages that others install', () => {
  expect(readdirSync(tarballs).toSorted()).toEqual([
    'junction-cli-0.1.0.tgz',
    'junction-client-0.1.0.tgz',
    'junction-producer-0.1.0.tgz',
    'junction-webhook-signing-0.1.0.tgz',
    'junction-worker-0.1.0.tgz',
  ]);
});

it('@junction/webhook-signing, in an empty folder installs alone, and its README starts', async () => {
  const folder = await installed('webhook-signing', NODE_TYPES);

  expect(packagesIn(folder)).toEqual(['@junction/webhook-signing', '@types/node', 'undici-types']);
  expect(contentsOf(folder, 'webhook-signing')).toEqual(PACKED);
  await expect(outputsOf(folder, startOf('webhook-signing'))).resolves.toEqual(
    nodes().map(() => 'draft.created\n'),
  );
});

describe('with a started product', () => {
  const product = useProduct();
  let receiver: Receiver;
  let ada: Person;

  beforeAll(async () => {
    receiver = await startReceiver();
    ada = await signUp(apiAt(product().endpoints.gateway));
    const json = { url: `${receiver.url}/hook`, events: ['inbox.organized'], enabled: true };
    expect((await ada.call('POST', '/api/webhooks/configure', { json })).status).toBe(201);
  });

  afterAll(async () => {
    await receiver?.close();
  });

  it('@junction/client installs alone in an empty folder, and its README sends a test event', async () => {
    const folder = await installed('client', NODE_TYPES);
    const start = startOf('client')
      .replace('http://localhost:8080', product().endpoints.gateway)
      .replace('ada@example.com', ada.email)
      .replace('correct horse battery', ada.password)
      .replace('https://hooks.example.com/junction', `${receiver.url}/client`);

    expect(packagesIn(folder).toSorted()).toEqual([
      '@junction/client',
      '@types/node',
      'openapi-fetch',
      'openapi-typescript-helpers',
      'undici-types',
    ]);
    expect(contentsOf(folder, 'client')).toEqual(PACKED);
    const outputs = await outputsOf(folder, start);
    // The webhook is the same, so each Node reads what those before it sent as well.
    expect(outputs.map((text) => text.match(/^draft\.created \d$/gm)?.length)).toEqual([1, 2, 3]);
  });

  it('@junction/worker installs in an empty folder, and its README has the token of a mailbox', async () => {
    const folder = await installed('worker', NODE_TYPES);
    expect((await connect(ada, 'mailbox')).status).toBe(200);
    const { gateway, grpc, worker } = product().endpoints;
    const start = startOf('worker')
      .replace('http://localhost:8080', gateway)
      .replace('127.0.0.1:7012', grpc.integrations)
      .replace("process.env['CLIENT_SECRET'] ?? ''", `'${worker.client_secret}'`)
      .replace('0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d', ada.id);

    expect(contentsOf(folder, 'worker')).toEqual([...PACKED, 'node_modules'].toSorted());
    expect(await outputsOf(folder, start)).toEqual(nodes().map(() => '1 3\n'));
  });

  it('@junction/producer installs without Postgres and event store, and what its README publishes is delivered', async () => {
    const folder = await installed('producer', NODE_TYPES);
    const start = startOf('producer')
      .replace('127.0.0.1:9092', product().endpoints.kafka)
      .replace('0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d', ada.id);

    expect(packagesIn(folder).filter((name) => /^pg|postgres|eventsourcing/.test(name))).toEqual(
      [],
    );
    expect(contentsOf(folder, 'producer')).toEqual([...PACKED, 'node_modules'].toSorted());
    const outputs = await outputsOf(folder, start);
    const { headers } = await receiver.waitFor(({ path }) => path === '/hook', MINUTE);
    // All outputs name the same event, under the id of the README.
    expect(outputs).toEqual(
      nodes().map(() => `{ messageId: '${String(headers['webhook-id'])}' }\n`),
    );
  });
});

const PACKED = ['LICENSE', 'README.md', 'dist', 'package.json'];

/** The first example of the README. */
function startOf(name: string): string {
  const readme = readFileSync(path.join(ROOT, 'packages', name, 'README.md'), 'utf8');
  const [, start] = /^```ts\n([^]*?)^```/m.exec(readme) ?? [];
  if (start !== undefined) return start;
  throw new Error(`The README of ${name} has no example.`);
}

/** Compiles the example, and returns its output on each Node. */
async function outputsOf(folder: string, start: string): Promise<readonly string[]> {
  writeFileSync(path.join(folder, 'start.ts'), start);
  await run(process.execPath, [...COMPILE, 'start.ts'], folder).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
  const outputs: string[] = [];
  for (const node of nodes()) outputs.push(await run(node, ['start.js'], folder));
  return outputs;
}

/** Everything that is installed there, what is bundled included. */
function packagesIn(folder: string): readonly string[] {
  const lock = readFileSync(path.join(folder, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: object };
  return Object.keys(packages).map((place) => place.replace(/^.*node_modules\//, ''));
}
