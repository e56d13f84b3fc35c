import type { Answer } from '@junction/client';
import { Command } from 'commander';
import { asksAuth, examples, type World } from '../world.js';

/** `junction auth …` */
export const authCommand = (world: World): Command =>
  new Command('auth').description('the keys that sign access tokens').addCommand(rotate(world));

function rotate(world: World): Command {
  const command = new Command('rotate-keys')
    .description('make a new signing key; without --now no client notices, however it caches')
    .option('--now', 'a key has leaked: sign with the new one at once, and end all others')
    .addHelpText('after', examples('auth rotate-keys', 'auth rotate-keys --now'));
  return asksAuth(command, world, 'write', async ({ ops, show }, _, { now = false }) => {
    const compromised = now === true;
    const rotated = await ops.post('/api/ops/auth/signing-keys/rotate', { body: { compromised } });
    show(rotated, (compromised ? leaked : inTime)(rotated));
  });
}

type Rotated = Answer<'/api/ops/auth/signing-keys/rotate', 'post'>;

const inTime = ({ kid, signs_from, others_published_until }: Rotated): string =>
  `${kid} is published from now on and signs from ${signs_from}.\n` +
  `The keys before it stay published until ${others_published_until}.\n`;

const leaked = ({ kid }: Rotated): string =>
  `${kid} signs from now on; no other key is published, and their private halves are destroyed.\n` +
  'Tokens of the others are refused by auth within a second, by the other services and by whoever caches ' +
  '/.well-known/jwks.json within five minutes, ten behind a cache of HTTP. Service tokens that were seen before ' +
  'are believed for a minute. Clients that are refused refresh their tokens; nobody has to sign in again.\n';
