import { createHash } from 'node:crypto';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type { SecurityEventEffect } from '../../../application/ending/ports.js';
import type { ClientName } from '../../../domain/connection/events.js';
import type { SecurityEvent } from '../../../domain/security-event.js';

/**
 * Time for which events are remembered: longer than the greatest age of a token (30 days) and the difference of clocks.
 */
const KEPT_FOR = `interval '31 days'`;
const PURGE_MAX = 1_000;

/** Stores security events of providers, so that each is taken once. */
export const securityEventTable = (tx: Queryable) => ({
  /** Adds a security event. Returns false when the event came before. */
  async add(client: ClientName, { jti, names, issuedAt }: SecurityEvent) {
    const event = { client, jti_hash: hashOf(jti), names, issued_at: issuedAt };
    const { rowCount } = await insertEvent(tx, event);
    return rowCount === 1;
  },

  async recordEffect(client: ClientName, jti: string, effect: SecurityEventEffect) {
    await setEffect(tx, { client, jti_hash: hashOf(jti), effect });
  },
});

/** Deletes events that are too old to be accepted again, a bounded number at a time. */
export const purgeSecurityEvents = async (db: Queryable): Promise<void> => void (await purge(db));

const hashOf = (jti: string): Buffer => createHash('sha256').update(jti).digest();

const insertEvent = statement(`
insert into security_events (client, jti_hash, names, effect, issued_at)
values (:client, :jti_hash, :names, 'none', :issued_at) on conflict do nothing`);

const setEffect = statement(
  'update security_events set effect = :effect where client = :client and jti_hash = :jti_hash',
);

const purge = statement(`
delete from security_events where (client, jti_hash) in (
  select client, jti_hash from security_events where received_at < now() - ${KEPT_FOR}
   limit ${PURGE_MAX} for update skip locked)`);
