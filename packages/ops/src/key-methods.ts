import type { OpsServiceServer } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { serverStream, unary } from '@junction/service-kit';
import { listKeys, type Rotation, rotateKeys } from '@junction/vault';
import type { Methods } from './methods.js';

type KeyMethods = Pick<OpsServiceServer, 'listKeys' | 'rotateKeys'>;

/** The key ring: ids and counts, never a key. */
export const keyMethods = ({ journal, log }: Methods, rotation: Rotation): KeyMethods => ({
  listKeys: unary(log, async (_, { caller }) => {
    await journal.read(caller, 'ListKeys', {});
    const keys = await listKeys(rotation);
    return { keys: keys.map(({ uses, ...key }) => ({ ...key, uses: [...uses] })) };
  }),

  rotateKeys: serverStream(log, async (_, send, { caller, signal }) => {
    const { id: keyId } = rotation.ring.newest;
    await journal.change(caller, 'RotateKeys', { keyId }, async () => {
      let [rowsDone, rowsLeft] = [0, 0];
      try {
        for await (const progress of rotateKeys(rotation, { signal })) {
          ({ rowsDone, rowsLeft } = progress);
          await send({ ...progress, keyId });
        }
      } catch (error) {
        throw signal.aborted ? calledOff(error) : error;
      }
      return { answer: undefined, result: { rowsDone, rowsLeft } };
    });
  }),
});

const calledOff = (cause: unknown) =>
  new AppError('unavailable', 'called_off', 'Whoever asked for the rotation hung up.', { cause });
