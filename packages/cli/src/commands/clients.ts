import { readFileSync } from 'node:fs';
import { AuthAdminServiceService, type RegisteredClient } from '@junction/contracts';
import { Command, InvalidArgumentError } from 'commander';
import { usage } from '../failure.js';
import { line, table } from '../output.js';
import { asksAuth, examples, type World } from '../world.js';

const HOUR_S = 3_600;
const UNITS_S = { s: 1, m: 60, h: HOUR_S, d: 24 * HOUR_S } as const;

/** `junction clients …` */
export const clientsCommand = (world: World): Command =>
  new Command('clients')
    .description('services that may ask auth for tokens, besides those of SERVICE_ACCOUNTS_FILE')
    .addCommand(list(world))
    .addCommand(add(world))
    .addCommand(rotate(world))
    .addCommand(setKeys(world))
    .addCommand(revoke(world));

function list(world: World): Command {
  const command = new Command('list')
    .description('each client, what it may do, and by what it is known')
    .addHelpText('after', examples('clients list', 'clients list --json'));
  return asksAuth(command, world, 'read', async ({ ops, json, output }) => {
    const { clients } = await ops.call(AuthAdminServiceService.listClients, {});
    if (json) {
      for (const client of clients) output.out(line(view(client)));
      return;
    }
    const rows = clients.map((client) => [
      client.clientId,
      client.name,
      client.grants.map(({ audience, scopes }) => `${audience}: ${scopes.join(' ')}`).join('; '),
      knownBy(client),
    ]);
    output.out(table(['CLIENT', 'NAME', 'MAY', 'KNOWN BY'], rows, 'There are no clients.'));
  });
}

function add(world: World): Command {
  const command = new Command('add')
    .argument('<name>')
    .description('register a client; its secret is shown once')
    .requiredOption(
      '-g, --grant <audience:scopes>',
      'what it may ask for, scopes with commas between them; may be repeated',
      grantOf,
    )
    .option('--keys <file>', 'a JWK Set of public keys in place of a secret (private_key_jwt)')
    .addHelpText(
      'after',
      examples(
        'clients add billing --grant integrations:tokens:read',
        'clients add billing --grant webhook-dispatcher:events:publish --keys public.jwks.json',
      ),
    );
  return asksAuth(command, world, 'write', async ({ ops, json, output }, [name = ''], options) => {
    const grants = [...(options['grant'] as readonly Grant[])];
    const jwks = fileOf(options['keys']);
    const made = await ops.call(AuthAdminServiceService.registerClient, { name, grants, jwks });
    const { clientId: client_id, clientSecret: client_secret } = made;
    if (json) output.out(line({ client_id, client_secret }));
    else output.out(`${made.clientId}\n${secretOnce(made.clientSecret)}`);
  });
}

function rotate(world: World): Command {
  const command = withOverlap(new Command('rotate').argument('<client>'))
    .description('a new secret; the last one counts until the overlap is over')
    .addHelpText('after', examples('clients rotate cli_0199… --overlap 7d'));
  return asksAuth(
    command,
    world,
    'write',
    async ({ ops, json, output }, [clientId = ''], options) => {
      const request = { clientId, overlapS: options['overlap'] as number };
      const rotated = await ops.call(AuthAdminServiceService.rotateClientSecret, request);
      const until = rotated.previousValidUntil?.toISOString() ?? '';
      const answer = { client_secret: rotated.clientSecret, previous_valid_until: until };
      if (json) output.out(line(answer));
      else output.out(`${secretOnce(rotated.clientSecret)}The last one counts until ${until}.\n`);
    },
  );
}

function setKeys(world: World): Command {
  const command = withOverlap(new Command('set-keys').argument('<client>').argument('<file>'))
    .description(
      'a JWK Set of public keys in place of its secrets, which count until the overlap is over',
    )
    .addHelpText('after', examples('clients set-keys cli_0199… public.jwks.json'));
  return asksAuth(command, world, 'write', async ({ ops, json, output }, args, options) => {
    const [clientId = '', file] = args;
    const request = { clientId, jwks: fileOf(file), overlapS: options['overlap'] as number };
    const set = await ops.call(AuthAdminServiceService.setClientKeys, request);
    const until = set.secretsValidUntil?.toISOString() ?? '';
    output.out(
      json
        ? line({ secrets_valid_until: until })
        : `${clientId} has these keys. Its secrets count until ${until}.\n`,
    );
  });
}

function revoke(world: World): Command {
  const command = new Command('revoke')
    .argument('<client>')
    .description(
      'end a client: it gets no token any more; those it has are good for ten minutes at most',
    )
    .addHelpText('after', examples('clients revoke cli_0199…'));
  return asksAuth(command, world, 'write', async ({ ops, json, output }, [clientId = '']) => {
    await ops.call(AuthAdminServiceService.revokeClient, { clientId });
    output.out(json ? line({ client_id: clientId }) : `${clientId} gets no token any more.\n`);
  });
}

interface Grant {
  readonly audience: string;
  readonly scopes: string[];
}

/** `integrations:tokens:read,ops:read` */
function grantOf(text: string, before: readonly Grant[] = []): readonly Grant[] {
  const [, audience, scopes] = /^([a-z-]+):(.+)$/.exec(text) ?? [];
  if (audience === undefined || scopes === undefined) {
    throw new InvalidArgumentError('Write it as AUDIENCE:SCOPE,SCOPE such as auth:ops:read.');
  }
  return [...before, { audience, scopes: scopes.split(',') }];
}

const withOverlap = (command: Command): Command =>
  command.option('--overlap <time>', 'such as 0s, 30m, 24h or 7d', overlapOf, UNITS_S.d);

function overlapOf(text: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Write it as 0s, 30m, 24h or 7d.');
  return Number(count) * UNITS_S[unit as keyof typeof UNITS_S];
}

function fileOf(path: unknown): string {
  if (typeof path !== 'string') return '';
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw usage(`${path} cannot be read.`);
  }
}

const secretOnce = (secret: string): string =>
  secret === '' ? '' : `${secret}\nThis is its secret. It is shown once.\n`;

const knownBy = ({ keyIds, secrets }: RegisteredClient): string =>
  [
    keyIds.length > 0 && `keys ${keyIds.join(', ')}`,
    secrets > 0 && (secrets === 1 ? 'a secret' : `${secrets} secrets`),
  ]
    .filter((way) => way !== false)
    .join('; ');

const view = (client: RegisteredClient) => ({
  client_id: client.clientId,
  name: client.name,
  grants: client.grants,
  created_at: client.createdAt,
  key_ids: client.keyIds,
  secrets: client.secrets,
  previous_valid_until: client.previousValidUntil,
});
