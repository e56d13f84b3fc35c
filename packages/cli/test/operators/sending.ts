import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { values } from '../junction.js';
import { type OperatedProduct, userWithWebhook } from '../operator.js';

/** Failures, more than a circuit needs to open. */
const FAILED = 6;

export function sendingCases({ product, events, cli }: OperatedProduct): void {
  /** A webhook of a new user to which nothing gets through, until its circuit is open. */
  const failingWebhook = async () => {
    const other = await userWithWebhook(product());
    const userId = other.user.slice('user-'.length);
    await other.call('PATCH', `/api/webhooks/${other.webhookId}`, { json: { paused: false } });
    for (let n = 0; n < FAILED; n++) await events().publish(userId, 'draft.created', {});
    await eventually(async () =>
      expect(values(await cli('circuits list --json'))).toMatchObject([
        { webhook_id: other.webhookId },
      ]),
    );
    return { userId, failing: other.webhookId };
  };

  describe('junction on how sending goes', () => {
    it('tells what waits, what fails, whose circuit is open, and has it probed', async () => {
      const { userId, failing } = await failingWebhook();
      const backlog = await cli('deliveries backlog --json');
      expect(values(backlog)).toEqual([
        expect.objectContaining({
          retrying: expect.any(Number),
          due: expect.any(Number),
          failing_webhooks: 1,
          ended: expect.any(Array),
          reasons: [{ reason: 'connection_refused', webhooks: 1 }],
        }),
      ]);
      expect((await cli('deliveries backlog')).out).toMatch(/webhooks failing +1\n/);

      const of = { webhook_id: failing, user_id: userId, host: '127.0.0.1:9' };
      expect(values(await cli(`webhooks failing --user ${userId} --json`))).toMatchObject([
        { ...of, status: 'active', reason: 'connection_refused', waiting: FAILED },
      ]);
      expect(values(await cli(`webhooks failing --user ${randomUUID()} --json`))).toEqual([]);
      expect(values(await cli('webhooks failing --by-user --json'))).toMatchObject([
        { user_id: userId, failing: 1, webhooks: 1 },
      ]);
      for (const command of ['webhooks failing', 'webhooks failing --by-user', 'circuits list']) {
        expect((await cli(command)).out).toContain(userId);
      }

      const circuit = async () => values(await cli('circuits list --json'))[0];
      const before = await circuit();
      expect(before).toMatchObject({ ...of, state: 'open' });
      expect(await cli(`circuits probe ${failing}`)).toMatchObject({
        code: 0,
        out: expect.stringContaining('goes out now'),
      });
      // The probe fails as well, and the next rest is longer.
      await eventually(async () => {
        const after = await circuit();
        expect(String(after?.['probe_at']) > String(before?.['probe_at'])).toBe(true);
        expect(after).toMatchObject({ state: 'open', opened_at: before?.['opened_at'] });
      });
      const unknown = await cli(`circuits probe wh_${randomUUID()}`);
      expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('no open circuit') });
    });

    it('disables a webhook whatever its owner wants, and enables it again', async () => {
      const { call, webhookId, user } = await userWithWebhook(product());
      const path = `/api/webhooks/${webhookId}`;
      const blocked = await cli(`webhooks block ${webhookId}`);
      expect(blocked).toMatchObject({
        code: 0,
        out: `${webhookId} of user ${user.slice('user-'.length)} is disabled (operator).\n`,
      });
      expect(await call('PATCH', path, { json: { enabled: true } })).toMatchObject({
        status: 409,
        body: { code: 'webhook_disabled_by_operator' },
      });
      expect(values(await cli(`webhooks unblock ${webhookId} --json`))).toMatchObject([
        { webhook_id: webhookId, status: 'paused', disabled_reason: null },
      ]);
    });

    it('pauses a user, lists that, and has it go on', async () => {
      const { call, webhookId, user } = await userWithWebhook(product());
      const [path, id] = [`/api/webhooks/${webhookId}`, user.slice('user-'.length)];
      await call('PATCH', path, { json: { paused: false } });
      expect(await cli(`pauses add --user ${id}`)).toMatchObject({
        code: 0,
        out: 'It is about 1 webhooks.\n',
      });
      expect(values(await cli('pauses list --json'))).toMatchObject([{ user_id: id, host: null }]);
      const shown = await call('GET', path);
      expect(shown.body).toMatchObject({ status: 'paused', paused_by: 'operator' });
      expect(await cli('pauses add')).toMatchObject({ code: 2 });
      expect((await cli(`pauses remove --user ${id}`)).code).toBe(0);
      expect((await call('GET', path)).body).toMatchObject({ status: 'active' });
    });

    it('tells which replica sends for whom', async () => {
      const all = Array.from({ length: 48 }, (_, shard) => shard);
      await eventually(async () =>
        expect(values(await cli('shards list --json'))).toEqual([
          {
            owners: expect.arrayContaining([
              expect.objectContaining({ shards: all, alive: true, partitions: all.slice(0, 12) }),
            ]),
            free: [],
          },
        ]),
      );
      expect((await cli('shards list')).out).toMatch(/ alive +48 .* 0-11 +0-47\n/);
    });
  });
}
