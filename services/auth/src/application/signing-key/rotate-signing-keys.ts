import type { RetirementReason } from '../../domain/signing-key/events.js';
import { atOnce, inTime, isDue, type Rotation } from '../../domain/signing-key/rotation.js';
import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';
import type { StoredSigningKey } from './ports.js';

export interface RotatedSigningKeys extends Rotation {
  readonly kid: string;
}

type KeyPorts = Pick<Ports, 'signingKeyStore' | 'unitOfWork' | 'now'>;

/** Makes the very first key, which signs at once because no token of another one is abroad. */
export const ensureSigningKey = async (ports: KeyPorts): Promise<void> => {
  const at = ports.now();
  await ports.unitOfWork.inTransaction(async (tx) => {
    const keys = await tx.signingKeys.lock();
    if (keys.length === 0) await rotate(tx, ports, keys, { ...atOnce(at), at });
  });
};

/** Makes a new key when the newest is `everyMs` old, and ends keys that no live token needs. */
export const rotateOnSchedule = (ports: KeyPorts, everyMs: number) => async (): Promise<void> => {
  const at = ports.now();
  await ports.unitOfWork.inTransaction(async (tx) => {
    const keys = await tx.signingKeys.lock();
    if (isDue(keys, at, everyMs)) await rotate(tx, ports, keys, { ...inTime(at), at });
  });
  await ports.signingKeyStore.destroyEnded(at);
};

/**
 * A new key because an operator asks. `hasLeaked`: it signs at once, and nothing that the others signed counts as
 * soon as verifiers ask again; otherwise no verifier notices.
 */
export const rotateSigningKeys =
  (ports: KeyPorts) =>
  async ({ hasLeaked }: { readonly hasLeaked: boolean }): Promise<RotatedSigningKeys> => {
    const at = ports.now();
    const rotation = hasLeaked ? atOnce(at) : inTime(at);
    const kid = await ports.unitOfWork.inTransaction(async (tx) => {
      const reason = hasLeaked ? 'compromised' : 'rotated';
      return rotate(tx, ports, await tx.signingKeys.lock(), { ...rotation, at, reason });
    });
    await ports.signingKeyStore.destroyEnded(at);
    return { ...rotation, kid };
  };

interface DatedRotation extends Rotation {
  readonly at: Date;
  readonly reason?: RetirementReason;
}

/** Adds a key, retires the others, and returns the id of the new one. */
async function rotate(
  tx: Transaction,
  { signingKeyStore }: KeyPorts,
  keys: readonly StoredSigningKey[],
  { reason = 'rotated', ...rotation }: DatedRotation,
): Promise<string> {
  const pair = await signingKeyStore.newPair();
  const { kid } = pair;
  await tx.signingKeys.rotate(pair, rotation);
  const at = rotation.at.toISOString();
  const signsFrom = rotation.signsFrom.toISOString();
  await tx.handleSigningKey(kid, { type: 'CreateSigningKey', data: { kid, signsFrom, at } });
  const publishedUntil = rotation.publishedUntil.toISOString();
  for (const { kid } of keys) {
    const data = { publishedUntil, reason, at };
    await tx.handleSigningKey(kid, { type: 'RetireSigningKey', data });
  }
  return kid;
}
