import type { Answer } from '@junction/client';
import { operatorGroup } from '../verbs.js';
import type { World } from '../world.js';

/** `junction auth …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    ['auth', 'the keys that sign access tokens', 'auth'],
    [
      {
        name: 'rotate-keys',
        about: 'make a new signing key; without --now no client notices, however it caches',
        options: [['--now', 'a key has leaked: sign with the new one at once, and end all others']],
        examples: ['auth rotate-keys', 'auth rotate-keys --now'],
        async write({ ops, show }, _, { now: compromised = false }) {
          const body = { compromised: compromised === true };
          const rotated = await ops.post('/api/ops/auth/signing-keys/rotate', { body });
          show(rotated, (body.compromised ? leaked : inTime)(rotated));
        },
      },
    ],
  );

type Rotated = Answer<'/api/ops/auth/signing-keys/rotate', 'post'>;

const inTime = ({ kid, signs_from, others_published_until }: Rotated): string =>
  `${kid} is published from now on and signs from ${signs_from}.\n` +
  `The keys before it stay published until ${others_published_until}.\n`;

const leaked = ({ kid }: Rotated): string =>
  `${kid} signs from now on; no other key is published, and their private halves are destroyed.\n` +
  'Tokens of the others are refused by auth within a second, by the other services and by whoever caches ' +
  '/.well-known/jwks.json within five minutes, ten behind a cache of HTTP. Service tokens that were seen before ' +
  'are believed for a minute. Clients that are refused refresh their tokens; nobody has to sign in again.\n';
