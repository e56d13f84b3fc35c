import type { OpsServiceServer } from '@junction/contracts';
import { serverStream, unary } from '@junction/service-kit/grpc';
import { type Rotation, rotateKeys } from '@junction/vault';
import type { Methods } from './methods.js';
import type { Reads } from './reads.js';
import { tell } from './tell.js';

type KeyMethods = Pick<OpsServiceServer, 'listKeys' | 'rotateKeys'>;

/** Implements the methods for the key ring, which show ids and counts, and never a key. */
export const keyMethods = (
  { journal, log }: Methods,
  rotation: Rotation,
  reads: Reads,
): KeyMethods => ({
  listKeys: unary(log, async (_, { caller }) => {
    const keys = await reads.keys(caller);
    return { keys: keys.map(({ uses, ...key }) => ({ ...key, uses: [...uses] })) };
  }),

  rotateKeys: serverStream(log, async (_, send, { caller, signal }) => {
    const { id: keyId } = rotation.ring.newest;
    await journal.change(caller, 'RotateKeys', { keyId }, async () => {
      const last = await tell(rotateKeys(rotation, { signal }), {
        signal,
        what: 'the rotation',
        send: (progress) => send({ ...progress, keyId }),
      });
      const { rowsDone = 0, rowsLeft = 0 } = last ?? {};
      return { answer: undefined, result: { rowsDone, rowsLeft } };
    });
  }),
});
