import type { Event, EventCodec } from '@junction/eventsourcing';
import type pg from 'pg';
import { isSealed, type SealedValue } from './sealed-value.js';
import type { Vault } from './subject-vault.js';
import { ShreddedError, VaultError } from './vault-errors.js';

/** Text of a personal field whose subject's key was destroyed. */
export const ERASED = '[erased]';

export interface PersonalFieldsOptions<E extends Event> {
  readonly vault: Vault;
  /** Returns the subject whose data the event holds: the event's fields are sealed under the key of that subject. */
  readonly subjectOf: (streamId: string, event: E) => string;
  /** Personal fields by event type. A field that was ever written here stays in the list. */
  readonly fields: { readonly [Type in E['type']]?: readonly string[] };
}

/** A codec that can use the connection of a transaction. */
export interface PersonalFieldsCodec<E extends Event> extends EventCodec<E> {
  within(tx: pg.ClientBase): EventCodec<E>;
}

/**
 * Returns a codec that stores the named fields sealed and reads them back. After shredding these fields read ERASED, so
 * the inner codec must accept that text in them; the rest of the event stays readable. A named field that is stored in
 * clear is refused.
 */
export function personalFields<E extends Event>(
  codec: EventCodec<E>,
  options: PersonalFieldsOptions<E>,
): PersonalFieldsCodec<E> {
  const { vault, subjectOf, fields } = options;
  const personal = (type: string): readonly string[] =>
    Object.hasOwn(fields, type) ? (fields[type as E['type']] ?? []) : [];

  return {
    versions: codec.versions,

    async encode(streamId, event) {
      const { schemaVersion, data } = await codec.encode(streamId, event);
      const subject = subjectOf(streamId, event);
      const seal = async (value: unknown, place: string): Promise<SealedValue> => {
        const sealed = await vault.seal(subject, Buffer.from(JSON.stringify(value)), place);
        return { subject, sealed: sealed.toString('base64') };
      };
      return { schemaVersion, data: await mapFields(streamId, event.type, data, seal) };
    },

    async decode(streamId, stored) {
      const { type, data } = stored;
      if (typeof data !== 'object' || data === null) return codec.decode(streamId, stored);
      const opened = await mapFields(streamId, type, data, (value, place) =>
        openField(vault, value, place),
      );
      return codec.decode(streamId, { ...stored, data: opened });
    },

    within: (tx) => personalFields(codec, { ...options, vault: vaultWithin(vault, tx) }),
  };

  async function mapFields(
    streamId: string,
    type: string,
    data: object,
    change: (value: unknown, place: string) => Promise<unknown>,
  ): Promise<object> {
    const values: Record<string, unknown> = { ...data };
    const changed = personal(type)
      .filter((field) => values[field] !== undefined)
      .map(async (field) => [field, await change(values[field], `${streamId}/${type}/${field}`)]);
    return { ...values, ...(Object.fromEntries(await Promise.all(changed)) as object) };
  }
}

const vaultWithin = (vault: Vault, tx: pg.ClientBase): Vault => ({
  ...vault,
  seal: async (subject, plaintext, aad) => vault.seal(subject, plaintext, aad, tx),
  open: async (subject, sealed, aad) => vault.open(subject, sealed, aad, tx),
});

async function openField(vault: Vault, value: unknown, place: string): Promise<unknown> {
  if (!isSealed(value)) {
    throw new VaultError('not_sealed', `The personal field ${place} is stored in clear.`);
  }
  try {
    const bytes = await vault.open(value.subject, Buffer.from(value.sealed, 'base64'), place);
    return JSON.parse(bytes.toString()) as unknown;
  } catch (error) {
    if (error instanceof ShreddedError) return ERASED;
    throw error;
  }
}
