import { readFileSync } from 'node:fs';
import type { Body, Schemas } from '@junction/client';
import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { usage } from '../failure.js';
import { present } from '../output.js';
import { type OperatorVerb, operatorGroup, operatorList, type Words } from '../verbs.js';
import type { World } from '../world.js';

const HOUR_S = 3_600;
const UNITS_S = { s: 1, m: 60, h: HOUR_S, d: 24 * HOUR_S } as const;

/** `junction clients …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    [
      'clients',
      'services that may ask auth for tokens, besides those of SERVICE_ACCOUNTS_FILE',
      'auth',
    ],
    [list, add, rotate, setKeys, revoke],
  );

const list = operatorList({
  name: 'list',
  about: 'clients, with what each may do and is known by',
  examples: ['clients list', 'clients list --json'],
  path: '/api/ops/auth/clients',
  columns: {
    CLIENT: 'client_id',
    NAME: 'name',
    MAY: ({ grants }) =>
      grants.map(({ audience, scopes }) => `${audience}: ${scopes.join(' ')}`).join('; '),
    'KNOWN BY': (client) => knownBy(client),
  },
  empty: 'There are no clients.',
  json: present,
});

const add: OperatorVerb = {
  name: 'add',
  about: 'register a client; its secret is shown once',
  args: [['<name>']],
  options: [
    new Option(
      '-g, --grant <audience:scopes>',
      'what it may ask for, scopes with commas between them; may be repeated',
    )
      .argParser<readonly Grant[]>((text, before) => grantOf(text, before))
      .makeOptionMandatory(),
    ['--keys <file>', 'a JWK Set of public keys in place of a secret (private_key_jwt)'],
  ],
  examples: [
    'clients add billing --grant integrations:tokens:read',
    'clients add billing --grant webhook-dispatcher:events:publish --keys public.jwks.json',
  ],
  async write({ ops, show }, [name = ''], options) {
    const { grant: grants, keys } = options as { grant: readonly Grant[]; keys?: string };
    const body = { name, grants, ...(keys !== undefined && { jwks: keysIn(keys) }) };
    const { client_id, client_secret } = await ops.post('/api/ops/auth/clients', { body });
    const shown = client_secret === null ? '' : secretOnce(client_secret);
    show({ client_id, client_secret: client_secret ?? '' }, `${client_id}\n${shown}`);
  },
};

/** Option for the time for which secrets count on. */
const overlap: Words = [
  '--overlap <time>',
  'such as 0s, 30m, 24h or 7d',
  (text) => overlapOf(text),
  UNITS_S.d,
];

const rotate: OperatorVerb = {
  name: 'rotate',
  about: 'a new secret; the last one counts until the overlap is over',
  args: [['<client>']],
  options: [overlap],
  examples: ['clients rotate cli_0199… --overlap 7d'],
  async write({ ops, show }, [id = ''], options) {
    const rotated = await ops.post('/api/ops/auth/clients/{id}/rotate-secret', {
      params: { path: { id } },
      body: { overlap_s: options['overlap'] as number },
    });
    const { client_secret: secret, previous_valid_until: until } = rotated;
    show(rotated, `${secretOnce(secret)}The last one counts until ${until}.\n`);
  },
};

const setKeys: OperatorVerb = {
  name: 'set-keys',
  about: 'a JWK Set of public keys in place of its secrets, which count until the overlap is over',
  args: [['<client>'], ['<file>']],
  options: [overlap],
  examples: ['clients set-keys cli_0199… public.jwks.json'],
  async write({ ops, show }, [id = '', file = ''], options) {
    const set = await ops.post('/api/ops/auth/clients/{id}/keys', {
      params: { path: { id } },
      body: { jwks: keysIn(file), overlap_s: options['overlap'] as number },
    });
    show(set, `${id} has these keys. Its secrets count until ${set.secrets_valid_until}.\n`);
  },
};

const revoke: OperatorVerb = {
  name: 'revoke',
  about: 'end a client: it gets no token any more; those it has are good for ten minutes at most',
  args: [['<client>']],
  examples: ['clients revoke cli_0199…'],
  async write({ ops, show }, [id = '']) {
    await ops.delete('/api/ops/auth/clients/{id}', { params: { path: { id } } });
    show({ client_id: id }, `${id} gets no token any more.\n`);
  },
};

type Grant = Body<'/api/ops/auth/clients', 'post'>['grants'][number];

/** `integrations:tokens:read,ops:read` */
function grantOf(text: string, before: readonly Grant[] = []): readonly Grant[] {
  const [, audience, scopes] = /^([a-z-]+):(.+)$/.exec(text) ?? [];
  if (audience === undefined || scopes === undefined) {
    throw new InvalidArgumentError('Write it as AUDIENCE:SCOPE,SCOPE such as auth:ops:read.');
  }
  // auth knows which audiences there are, and refuses others.
  return [...before, { audience: audience as Grant['audience'], scopes: scopes.split(',') }];
}

function overlapOf(text: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Write it as 0s, 30m, 24h or 7d.');
  return Number(count) * UNITS_S[unit as keyof typeof UNITS_S];
}

const jwks = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** Returns the JWK Set of a file. auth checks its keys. @throws Failure (usage) */
function keysIn(path: string): z.infer<typeof jwks> {
  try {
    return jwks.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw usage(`${path} cannot be read, or is not a JWK Set: {"keys": […]}.`);
  }
}

const secretOnce = (secret: string): string => `${secret}\nThis is its secret. It is shown once.\n`;

const knownBy = ({ key_ids: keyIds, secrets }: Schemas['RegisteredClient']): string =>
  [
    keyIds.length > 0 && `keys ${keyIds.join(', ')}`,
    secrets > 0 && (secrets === 1 ? 'a secret' : `${secrets} secrets`),
  ]
    .filter((way) => way !== false)
    .join('; ');
