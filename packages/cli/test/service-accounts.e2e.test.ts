import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { exportJWK, generateKeyPair } from 'jose';
import { type Ended, junction, values } from './junction.js';
import { asAccount, commandsOf, userWithWebhook } from './operator.js';

const product = useProduct();

const { cli } = commandsOf(product);

describe('junction', () => {
  it.each(['auth', 'integrations', 'webhooks'])('says how %s is', async (service) => {
    const asked = await cli(`health -s ${service} --json`);
    expect({ code: asked.code, told: values(asked) }).toEqual({
      code: 0,
      told: [{ service, ready: true, failing: [] }],
    });
  });

  it('lists the accesses of all services, newest first, its own among them', async () => {
    await cli('projections list -s integrations');
    const accesses = values(await cli('audit --actor cli_operator --json'));
    const services = new Set(accesses.map(({ service }) => service));
    expect(services).toEqual(new Set(['auth', 'integrations', 'webhooks']));
    const times = accesses.map(({ at }) => Date.parse(String(at)));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(accesses).toContainEqual(
      expect.objectContaining({
        service: 'integrations',
        actor: { kind: 'service', id: 'cli_operator' },
        method: 'ListProjections',
        outcome: 'read',
      }),
    );
    const nobody = await cli('audit --actor nobody');
    expect(nobody).toMatchObject({ code: 0, out: expect.stringContaining('no accesses') });
  });

  it('makes a link to the webhook pages of a user, for an origin that is allowed', async () => {
    const { address } = await userWithWebhook(product());
    const link = await cli(`portal-link ${address} --origin https://app.example.com --json`);
    expect({ code: link.code, told: values(link) }).toEqual({
      code: 0,
      told: [
        {
          url: expect.stringMatching(/^http:.*\/portal#jn_pt_[\w-]{43}$/),
          expires_at: expect.any(String),
        },
      ],
    });
    const refused = await cli(`portal-link ${address} --origin https://evil.example.com`);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining('does not list https://evil.example.com'),
    });
  });

  it('says when a service account lacks the scope, or is unknown', async () => {
    const args = ['events', 'streams', '-s', 'integrations'];
    const worker = asAccount(product(), 'worker');
    expect(await junction(undefined, args, worker)).toMatchObject({
      code: 1,
      err: expect.stringContaining('it lacks ops:read'),
    });
    const stranger = { ...worker, JUNCTION_CLIENT_SECRET: 'something else' };
    expect(await junction(undefined, args, stranger)).toMatchObject({
      code: 1,
      err: expect.stringContaining('its secret is another one'),
    });
    const nowhere = {
      ...asAccount(product(), 'operator'),
      INTEGRATIONS_URL: 'http://127.0.0.1:9',
    };
    expect(await junction(undefined, args, nowhere)).toMatchObject({
      code: 1,
      err: expect.stringContaining('integrations at http://127.0.0.1:9 cannot be reached.'),
    });
  });
});

describe('junction clients', () => {
  it('registers a client, replaces its secret by another and then by a key, and ends it', async () => {
    const grant = 'auth:ops:read';
    const [{ client_id: id, client_secret: first }] = values(
      await cli(`clients add looker --grant ${grant} --json`),
    ) as [{ client_id: string; client_secret: string }];
    // Others register clients of the same product meanwhile.
    const own = (list: Ended) => values(list).find((client) => client['client_id'] === id);
    const asClient = async (credential: Readonly<Record<string, string>>) =>
      junction(undefined, ['clients', 'list', '--json'], {
        ...asAccount(product(), 'operator'),
        JUNCTION_CLIENT_ID: id,
        JUNCTION_CLIENT_SECRET: '',
        ...credential,
      });
    const seen = await asClient({ JUNCTION_CLIENT_SECRET: first });
    expect(own(seen)).toMatchObject({
      name: 'looker',
      secrets: 1,
      grants: [{ audience: 'auth' }],
    });

    const [{ client_secret: second }] = values(await cli(`clients rotate ${id} --json`)) as [
      { client_secret: string },
    ];
    for (const secret of [first, second]) {
      expect((await asClient({ JUNCTION_CLIENT_SECRET: secret })).code).toBe(0);
    }

    const folder = await mkdtemp(path.join(tmpdir(), 'clients-'));
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const [jwks, keyFile] = [path.join(folder, 'jwks.json'), path.join(folder, 'key.json')];
    const publicJwk = { ...(await exportJWK(publicKey)), kid: 'k1' };
    await writeFile(jwks, JSON.stringify({ keys: [publicJwk] }));
    await writeFile(
      keyFile,
      JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'k1', alg: 'ES256' }),
    );
    expect((await cli(`clients set-keys ${id} ${jwks} --overlap 0s`)).code).toBe(0);
    expect(await asClient({ JUNCTION_CLIENT_SECRET: second })).toMatchObject({
      code: 1,
      err: expect.stringContaining('its secret is another one'),
    });
    const byKey = {
      JUNCTION_CLIENT_KEY_FILE: keyFile,
      JUNCTION_ISSUER: product().endpoints.gateway,
    };
    expect(own(await asClient(byKey))).toMatchObject({ key_ids: ['k1'] });

    expect((await cli(`clients revoke ${id}`)).code).toBe(0);
    expect((await asClient(byKey)).code).toBe(1);
    const left = await cli('clients list --json');
    expect(left.code).toBe(0);
    expect(own(left)).toBeUndefined();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['clients add looker', 2, '--grant'],
    ['clients add looker --grant billing:ops:read', 2, '--grant must be one of'],
    ['clients add looker --grant auth', 2, 'AUDIENCE:SCOPE'],
    ['clients rotate cli_worker', 2, 'clients list'],
    ['clients rotate cli_0190d9a0-7a1e-7cc0-8c3e-2b1f4d5e6a7b', 1, 'There is no client'],
    ['clients revoke cli_0190d9a0-7a1e-7cc0-8c3e-2b1f4d5e6a7b --overlap 1d', 2, 'overlap'],
  ])('says what is wrong with %s', async (line, code, words) => {
    const ended = await cli(line);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(words);
  });
});
