import { beforeAll, describe, expect, it } from '@jest/globals';
import { catalogueOf } from '@junction/contracts';
import { useDatabase } from '@junction/testing';
import { eventOf, onPostgres } from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import { deliveryLog } from '../../adapters/postgres/history/delivery-log.js';
import { webhookRows } from '../../adapters/postgres/webhooks/webhook-rows.js';
import { searchRoom } from '../history/search-room.js';
import { previewFilter } from './preview-filter.js';

const database = useDatabase(dispatcherSchema);
const catalogue = catalogueOf();
const EVENTS = ['draft.created'];
const BIG = { path: 'size', gt: 10 };

beforeAll(() => onPostgres(database()).prepare());

describe('the preview of a filter', () => {
  it('says of each of the latest events whether it passes, once for all webhooks that got it', async () => {
    const { userId, takeIn, preview } = await newUser();
    await onPostgres(database()).newWebhook(userId);
    const small = await takeIn({ size: 1 });
    const big = await takeIn({ size: 100 });
    expect(await preview()).toEqual([
      { kind: 'draft.created', came: { messageId: big, at: expect.any(Date) }, passes: true },
      { kind: 'draft.created', came: { messageId: small, at: expect.any(Date) }, passes: false },
    ]);
  });

  it('takes the example of a kind of which nothing came, and leaves out kinds that are not chosen', async () => {
    const { takeIn, preview } = await newUser();
    await takeIn({ size: 100 });
    const tried = await preview(['draft.created', 'meeting.*']);
    expect(tried).toHaveLength(2);
    expect(tried[1]).toEqual({ kind: 'meeting.joined', passes: false });
    expect(await preview(['reminder.sent'])).toEqual([{ kind: 'reminder.sent', passes: false }]);
    const all = (await preview('all')).map(({ kind }) => kind);
    expect(new Set(all)).toEqual(new Set(catalogue.kinds));
  });

  it('opens nothing of others, and nothing that was removed', async () => {
    const { webhookId, takeIn, preview } = await newUser();
    await (await newUser()).takeIn({ size: 100 });
    expect(await preview()).toEqual([{ kind: 'draft.created', passes: false }]);
    await takeIn({ size: 100 });
    const { pool } = database();
    await pool.query(
      `with ended as (delete from pending where webhook_id = $1 returning day, delivery_id)
       insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
       select day, delivery_id, $1, 'succeeded', null, now() from ended`,
      [webhookId.slice('wh_'.length)],
    );
    const { rows } = await pool.query<{ id: string }>(
      `select 'dlv_' || delivery_id as id from deliveries where webhook_id = $1`,
      [webhookId.slice('wh_'.length)],
    );
    await onPostgres(database()).redact(webhookId, rows[0]?.id ?? '');
    expect(await preview()).toEqual([{ kind: 'draft.created', passes: false }]);
  });
});

async function newUser() {
  const { pool } = database();
  const { newWebhook, takeIn, openSealed } = onPostgres(database());
  const { userId, webhookId } = await newWebhook();
  const ports = {
    catalogue,
    webhooks: webhookRows(pool),
    deliveries: deliveryLog(pool, openSealed),
    searching: searchRoom(),
  };
  return {
    userId,
    webhookId,
    async takeIn(data: object | string) {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      const event = eventOf(userId, { data: Buffer.from(text) });
      await takeIn([event], new Date());
      return event.messageId;
    },
    preview: (events: readonly string[] | 'all' = EVENTS) =>
      previewFilter(ports)(userId, { filter: BIG, ...(events !== 'all' && { events }) }),
  };
}
