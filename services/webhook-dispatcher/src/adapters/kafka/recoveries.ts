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
 * Hears from auth of accounts that their owners have taken back. The consumer is not the one of auth's other events: a
 * version that does not know these records yet has passed them by there, and reads none of them again.
 */
export const onRecoveries =
  (disable: DisableRecovered, onDisabled: (webhooks: readonly WebhookOwner[]) => void) =>
  async (
    records: readonly InboundRecord[],
    tx: pg.PoolClient,
  ): Promise<(() => void) | undefined> => {
    const disabled: WebhookOwner[] = [];
    for (const record of records) {
      if (record.headers['ce_type'] !== 'user.recovered') continue;
      disabled.push(...(await disable(tx, recoveredIn(record))));
    }
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
