import type { Answer } from '@junction/client';
import { Command } from 'commander';
import { asksWebhooks, examples, type World } from '../world.js';

/** `junction webhooks rotate-keys` */
export function rotateKeysCommand(world: World): Command {
  const command = new Command('rotate-keys')
    .description(
      'for operators: make a new ed25519 key; without --now no receiver notices that asks once a day',
    )
    .option('--now', 'a key has leaked: sign with the new one at once, and end all others')
    .addHelpText('after', examples('webhooks rotate-keys', 'webhooks rotate-keys --now'));
  return asksWebhooks(command, world, 'write', async ({ ops, show }, _, { now = false }) => {
    const compromised = now === true;
    const rotated = await ops.post('/api/ops/webhook-dispatcher/webhook-keys/rotate', {
      body: { compromised },
    });
    show(rotated, (compromised ? leaked : inTime)(rotated));
  });
}

type Rotated = Answer<'/api/ops/webhook-dispatcher/webhook-keys/rotate', 'post'>;

const inTime = ({ public_key, signs_from, others_sign_until }: Rotated): string =>
  `${public_key} is in /.well-known/webhook-keys.json from now on and signs from ${signs_from}.\n` +
  `The keys before it sign beside it until ${others_sign_until}.\n`;

const leaked = ({ public_key }: Rotated): string =>
  `${public_key} signs from now on; no other key is published, and their private halves are destroyed.\n` +
  'Receivers that hold the keys of /.well-known/webhook-keys.json refuse requests until they ask again, after five ' +
  'minutes at the latest, ten behind a cache of HTTP; what they refuse is sent again. Whoever was given a key by hand ' +
  'needs the new one.\n';
