import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { values } from '../junction.js';
import { CONSUMER, inDatabase, MINUTE, type OperatedProduct, TOPIC } from '../operator.js';

export function consumerCases({ product, events, user, begin, cli }: OperatedProduct): void {
  describe('junction events', () => {
    it('goes on following where it was when the service is killed and comes back', async () => {
      const follower = begin('events follow -s webhooks -c webhook --beginning --json -n 3');
      await eventually(() => expect(values({ out: follower.out() })).toHaveLength(2));
      const pid = product().pids()['webhook-dispatcher'] ?? 0;
      process.kill(pid, 'SIGKILL');
      await eventually(() => expect(follower.err()).toContain('The connection was lost.'));
      await eventually(
        async () => {
          const json = { paused: false };
          const { status } = await user().call('PATCH', `/api/webhooks/${user().webhookId}`, {
            json,
          });
          expect(status).toBe(200);
        },
        { deadlineMs: MINUTE, pollMs: 200 },
      );
      const ended = await follower.ended;
      expect(values(ended).map(({ version }) => version)).toEqual([1, 2, 3]);
      expect(ended.code).toBe(0);
    });
  });

  describe('junction health', () => {
    it('answers while the database of the service is away, and names it', async () => {
      await inDatabase(product(), 'integrations', async (db) => {
        await db.query('alter database integrations connection limit 0');
        await db.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = 'integrations' and pid <> pg_backend_pid()`,
        );
        await eventually(
          async () =>
            expect(await cli('health -s integrations')).toMatchObject({
              code: 1,
              out: '',
              err: expect.stringMatching(/^integrations is not ready: .*postgres/),
            }),
          { deadlineMs: MINUTE },
        );
        await db.query('alter database integrations connection limit -1');
      });
      await eventually(async () => expect((await cli('health -s integrations')).code).toBe(0), {
        deadlineMs: MINUTE,
      });
    });
  });

  describe('junction dlq', () => {
    it('redrives one whose cause is gone', async () => {
      const userId = randomUUID();
      await inDatabase(product(), 'webhooks', async (db) => {
        await db.query(`
          create function refuse_all() returns trigger language plpgsql as
            $$ begin raise exception 'a rule nobody kept'; end $$;
          create trigger refuse_all before insert on seen_events for each row execute function refuse_all()`);
        await events().publish(userId, 'draft.created', {});
        const open = `dlq list --user ${userId} --json`;
        await eventually(
          async () => expect(values(await cli(`${open} -s webhooks`))).toHaveLength(1),
          { deadlineMs: MINUTE },
        );
        await db.query('drop function refuse_all cascade');

        const redriven = await cli(`dlq redrive --user ${userId} --json -s webhooks`);
        expect(redriven.code).toBe(0);
        const [outcome] = values(redriven);
        expect(outcome).toMatchObject({ outcome: 'redriven' });
        expect(values(await cli(`${open} -s webhooks`))).toEqual([]);
        const shown = values(await cli(`dlq show ${String(outcome?.['id'])} --json -s webhooks`));
        expect(shown).toMatchObject([{ state: 'redriven', resolved_by: 'cli_operator' }]);
        const seen = await db.query('select from seen_events where user_id = $1', [userId]);
        expect(seen.rowCount).toBe(1);
      });
    });
  });

  describe('junction consumers', () => {
    it('lists partitions, and resets one only when it must or is forced', async () => {
      await events().publish(randomUUID(), 'inbox.exploded', {});
      // A partition that no consumer reported for ten seconds, as on a slow machine, counts as stopped and may be
      // reset.
      const mine = await eventually(
        async () => {
          const listed = values(await cli('consumers list --json -s webhooks'));
          const found = listed.find(
            ({ consumer, offset }) => consumer === CONSUMER && Number(offset) > 0,
          );
          expect(found).toMatchObject({ topic: TOPIC, state: 'running', lag: 0 });
          const refused = await cli(
            `consumers reset ${CONSUMER} ${TOPIC} ${String(found?.['partition'])} --beginning -s webhooks`,
          );
          expect(refused).toMatchObject({
            code: 1,
            err: expect.stringContaining('partition_consumed'),
          });
          return found;
        },
        { deadlineMs: MINUTE },
      );
      const reset = `consumers reset ${CONSUMER} ${TOPIC} ${String(mine?.['partition'])}`;
      expect(await cli(`${reset} -s webhooks`)).toMatchObject({ code: 2 });
      const forced = await cli(
        `${reset} --offset ${String(mine?.['offset'])} --force --json -s webhooks`,
      );
      expect(values(forced)).toMatchObject([{ from: mine?.['offset'], offset: mine?.['offset'] }]);
      const beyond = await cli(`${reset} --offset 999999 --force -s webhooks`);
      expect(beyond).toMatchObject({ code: 2, err: expect.stringContaining('within the log') });
    });

    it('shows a partition whose offset is lost, and lets an operator say where it goes on', async () => {
      const partition = 0;
      const list = async () =>
        values(await cli('consumers list --json -s webhooks')).find(
          (each) => each['consumer'] === CONSUMER && each['partition'] === partition,
        );
      // The offset is beyond the log's end, as after a topic was made anew.
      const lost = await inDatabase(product(), 'webhooks', async (db) =>
        db.query(
          'update consumer_offsets set next_offset = 4711 where consumer = $1 and partition = $2',
          [CONSUMER, partition],
        ),
      );
      expect(lost.rowCount).toBe(1);
      await eventually(
        async () =>
          expect(await list()).toMatchObject({
            state: 'offset_lost',
            reason: expect.stringMatching(/^The offset 4711 is behind the end of the log, \d+\.$/),
          }),
        { deadlineMs: MINUTE },
      );
      expect((await cli('consumers list -s webhooks')).out).toContain(
        'is behind the end of the log',
      );
      const doctor = await cli('doctor --json -s webhooks');
      const said = values(doctor).find(({ check }) => check === 'consumers');
      const command = `junction consumers reset -s webhook-dispatcher ${CONSUMER} ${TOPIC} ${String(partition)}`;
      expect(said).toMatchObject({
        state: 'problem',
        found: expect.stringContaining(`1 of 12 partitions of ${TOPIC} (${String(partition)})`),
        remedy: expect.stringContaining(`${command} --beginning`),
      });
      expect(doctor.code).toBe(1);
      const reset = await cli(`${command.slice('junction '.length)} --end --json`);
      const [{ offset } = {}] = values(reset);
      expect(reset.code).toBe(0);
      expect(values(reset)).toMatchObject([{ from: 4711, offset: expect.any(Number), records: 0 }]);
      await eventually(
        async () => {
          const shown = await list();
          expect(shown).toMatchObject({ state: 'running', offset });
          expect(shown).not.toHaveProperty('reason');
        },
        {
          deadlineMs: MINUTE,
        },
      );
    });
  });
}
