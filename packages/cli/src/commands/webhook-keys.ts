import type { Answer } from '@junction/client';
import type { OperatorVerb } from '../verbs.js';

/** `junction webhooks rotate-keys` */
export const rotateKeys: OperatorVerb = {
  name: 'rotate-keys',
  about:
    'for operators: make a new ed25519 key; without --now no receiver notices that asks once a day',
  options: [['--now', 'a key has leaked: sign with the new one at once, and end all others']],
  examples: ['webhooks rotate-keys', 'webhooks rotate-keys --now'],
  only: 'webhooks',
  async write({ ops, show }, _, { now: compromised = false }) {
    const body = { compromised: compromised === true };
    const rotated = await ops.post('/api/ops/webhook-dispatcher/webhook-keys/rotate', { body });
    show(rotated, (body.compromised ? leaked : inTime)(rotated));
  },
};

type Rotated = Answer<'/api/ops/webhook-dispatcher/webhook-keys/rotate', 'post'>;

const inTime = ({ public_key, signs_from, others_sign_until }: Rotated): string =>
  `${public_key} is in /.well-known/webhook-keys.json from now on and signs from ${signs_from}.\n` +
  `The keys before it sign beside it until ${others_sign_until}.\n`;

const leaked = ({ public_key }: Rotated): string =>
  `${public_key} signs from now on; no other key is published, and their private halves are destroyed.\n` +
  'Receivers that hold the keys of /.well-known/webhook-keys.json refuse requests until they ask again, after five ' +
  'minutes at the latest, ten behind a cache of HTTP; what they refuse is sent again. Whoever was given a key by hand ' +
  'needs the new one.\n';
