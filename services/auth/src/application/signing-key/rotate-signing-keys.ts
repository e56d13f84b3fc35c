import { replay, type StreamAppend } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';
import { signingKeyDecider } from '../../domain/signing-key/decider.js';
import type { RetirementReason } from '../../domain/signing-key/events.js';
import { atOnce, inTime, isDue, type Rotation } from '../../domain/signing-key/rotation.js';
import type { Ports } from '../ports.js';
import { streamOf } from '../streams.js';
import type { RotationDecision, StoredSigningKey } from './ports.js';

export interface RotatedSigningKeys extends Rotation {
  readonly kid: string;
}

type KeyPorts = Pick<Ports, 'signingKeyStore' | 'now'>;

/** Makes the very first key, which signs at once because no token of another one is abroad. */
export const ensureSigningKey = async ({ signingKeyStore, now }: KeyPorts): Promise<void> => {
  const at = now();
  await signingKeyStore.rotate((keys, kid) =>
    keys.length > 0 ? undefined : decided(keys, kid, { ...atOnce(at), at }),
  );
};

/** Makes a new key when the newest is `everyMs` old, and ends keys that no live token needs. */
export const rotateOnSchedule =
  ({ signingKeyStore, now }: KeyPorts, everyMs: number) =>
  async (): Promise<void> => {
    const at = now();
    await signingKeyStore.rotate((keys, kid) =>
      isDue(keys, at, everyMs) ? decided(keys, kid, { ...inTime(at), at }) : undefined,
    );
    await signingKeyStore.destroyEnded(at);
  };

/**
 * A new key because an operator asks. `hasLeaked`: it signs at once, and nothing that the others signed counts as
 * soon as verifiers ask again; otherwise no verifier notices.
 */
export const rotateSigningKeys =
  ({ signingKeyStore, now }: KeyPorts) =>
  async ({ hasLeaked }: { readonly hasLeaked: boolean }): Promise<RotatedSigningKeys> => {
    const at = now();
    const rotation = hasLeaked ? atOnce(at) : inTime(at);
    const reason = hasLeaked ? 'compromised' : 'rotated';
    const kid = await signingKeyStore.rotate((keys, kid) =>
      decided(keys, kid, { ...rotation, at }, reason),
    );
    await signingKeyStore.destroyEnded(at);
    return { ...rotation, kid: kid ?? '' };
  };

function decided(
  keys: readonly StoredSigningKey[],
  kid: string,
  rotation: Rotation & { readonly at: Date },
  reason: RetirementReason = 'rotated',
): RotationDecision {
  const at = rotation.at.toISOString();
  const publishedUntil = rotation.publishedUntil.toISOString();
  const created = signingKeyDecider.decide(
    {
      type: 'CreateSigningKey',
      data: { kid, signsFrom: rotation.signsFrom.toISOString(), at },
    },
    signingKeyDecider.initialState,
  );
  const retired = keys.map(
    ({ kid, history, version }): StreamAppend<AuthEvent> => ({
      streamId: streamOf.signingKey(kid),
      expected: version,
      events: signingKeyDecider.decide(
        { type: 'RetireSigningKey', data: { publishedUntil, reason, at } },
        replay(signingKeyDecider, history),
      ),
    }),
  );
  const appends = [
    { streamId: streamOf.signingKey(kid), expected: 'none' as const, events: created },
    ...retired.filter(({ events }) => events.length > 0),
  ];
  return { ...rotation, appends };
}
