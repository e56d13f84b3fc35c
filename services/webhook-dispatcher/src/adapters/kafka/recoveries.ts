import { decodeDomainEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import type { WebhookOwner } from '../../application/unit-of-work.js';
import type { RecoveredUser } from '../../application/webhooks/disable-recovered.js';

type DisableRecovered = (
  tx: pg.PoolClient,
  user: RecoveredUser,
) => Promise<readonly WebhookOwner[]>;

/**
 * Time after which nobody gets through any more whose sessions, keys and portals ended with the recovery: the records
 * of their ends come by another consumer, in any order with this one, and requests that were let in before are over by
 * then. A webhook that is disabled earlier could be enabled again at once by whoever it is to be taken from.
 */
export const ENDS_HEARD_MS = 2_000;

/**
 * Hears from auth of accounts that their owners have taken back. The consumer is not the one of auth's other events: a
 * version that does not know these records yet has passed them by there, and reads none of them again.
 */
export const onRecoveries =
  (
    disable: DisableRecovered,
    onDisabled: (webhooks: readonly WebhookOwner[]) => void,
    wait: (ms: number) => Promise<void>,
  ) =>
  async (
    records: readonly InboundRecord[],
    tx: pg.PoolClient,
  ): Promise<(() => void) | undefined> => {
    const recovered = records.filter(({ headers }) => headers['ce_type'] === 'user.recovered');
    if (recovered.length === 0) return undefined;
    await wait(ENDS_HEARD_MS);
    const disabled: WebhookOwner[] = [];
    for (const record of recovered) disabled.push(...(await disable(tx, recoveredIn(record))));
    return disabled.length > 0 ? () => onDisabled(disabled) : undefined;
  };

function recoveredIn({ value, timestamp }: InboundRecord): RecoveredUser {
  try {
    const recovered = decodeDomainEvent('user.recovered', value ?? Buffer.alloc(0));
    const { userId, webhookIds, allWebhooks, occurredAt: at = timestamp } = recovered;
    return { userId, webhookIds: allWebhooks ? undefined : webhookIds, at };
  } catch (cause) {
    throw new RecordError('value_unreadable', 'The value is no user.recovered message.', { cause });
  }
}
