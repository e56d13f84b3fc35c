import { z } from 'zod';
import { Failure } from '../failure.js';
import { camelCased } from '../output.js';
import { type OperatorVerb, operatorGroup, operatorList } from '../verbs.js';
import type { World } from '../world.js';
import { followOperation } from './follow-operation.js';

/** `junction keys …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    ['keys', 'the key ring of a service (VAULT_KEYS), by the ids of its keys'],
    [list, rotate],
  );

const list = operatorList({
  name: 'list',
  about: 'each key, and what it has sealed; one that has sealed nothing may be taken out',
  examples: ['keys list -s integrations'],
  path: '/api/ops/{service}/keys',
  columns: {
    KEY: 'key_id',
    IT: ({ in_ring: isInRing, newest }) => (newest ? 'seals' : isInRing ? 'opens' : 'MISSING'),
    'HAS SEALED': ({ uses }) =>
      uses.map((use) => `${use.rows} ${use.table}.${use.column}`).join(', ') || 'nothing',
  },
  empty: 'The ring is empty.',
  json: camelCased,
});

const rotateProgress = z.object({
  phase: z.string(),
  key_id: z.string(),
  rows_done: z.number(),
  rows_total: z.number(),
  rows_left: z.number(),
  unreadable: z.number(),
});
type RotateProgress = z.infer<typeof rotateProgress>;

const rotate: OperatorVerb = {
  name: 'rotate',
  about:
    'seal what older keys have sealed with the newest one, while everything goes on; again, it does the rest',
  examples: ['keys rotate -s integrations'],
  async write(context) {
    const { json, output, ops, at } = context;
    const last = await followOperation(
      context,
      async (init) =>
        ops.request('post', '/api/ops/{service}/keys/rotate', { params: { path: at }, ...init }),
      rotateProgress,
      { title: 'Sealing anew …', line: inWords },
    );
    if (!json) output.out(`${inWords(last)}\n`);
    if (last.rows_left > 0) throw new Failure(remedy(last));
  },
};

/** After a lost connection the service counts anew, without the rows sealed before. */
const inWords = ({ phase, key_id: keyId, ...rows }: RotateProgress): string =>
  phase === 'done'
    ? `${keyId} has sealed anew what older keys had sealed.`
    : `${keyId} seals anew: ${rows.rows_done}/${rows.rows_total}`;

const remedy = ({ rows_left: left, unreadable }: RotateProgress): string =>
  `${left} rows are still under older keys: keep those in the ring. ` +
  `${unreadable} of them do not open: they were changed, or their key is missing. What else there is ` +
  'was in use, or was sealed by a replica with another newest key: run it again then.';
