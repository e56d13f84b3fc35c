import type { StateCodec } from '@junction/eventsourcing';
import { isSealed, type SealedValue } from './sealed-value.js';
import type { Vault } from './subject-vault.js';
import { ShreddedError, VaultError } from './vault-errors.js';

export interface SealedStateOptions<State> {
  readonly vault: Vault;
  readonly shape: number;
  /** Whose data the state holds; undefined while it holds nobody's, and then no snapshot is taken. */
  readonly subjectOf: (state: State) => string | undefined;
  readonly decode: (stored: unknown) => State;
}

/**
 * Snapshots of states with personal data: the whole state is sealed under its subject's key. Once that
 * was destroyed none is taken or read, and the state is what the rest of the history leads to.
 */
export const sealedState = <State extends object>({
  vault,
  shape,
  subjectOf,
  decode,
}: SealedStateOptions<State>): StateCodec<State> => ({
  shape,

  async encode(streamId, state): Promise<SealedValue | undefined> {
    const subject = subjectOf(state);
    if (subject === undefined) return undefined;
    return unlessShredded(async () => {
      const plaintext = Buffer.from(JSON.stringify(state));
      const sealed = await vault.seal(subject, plaintext, placeOf(streamId));
      return { subject, sealed: sealed.toString('base64') };
    });
  },

  async decode(streamId, stored) {
    const place = placeOf(streamId);
    if (!isSealed(stored)) throw new VaultError('not_sealed', `${place} is stored in clear.`);
    return unlessShredded(async () => {
      const bytes = await vault.open(stored.subject, Buffer.from(stored.sealed, 'base64'), place);
      return decode(JSON.parse(bytes.toString()));
    });
  },
});

const placeOf = (streamId: string): string => `snapshots/${streamId}/state`;

async function unlessShredded<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ShreddedError) return undefined;
    throw error;
  }
}
