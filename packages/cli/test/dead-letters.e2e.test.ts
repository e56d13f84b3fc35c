import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { eventually } from '@junction/testing';
import { values } from './junction.js';
import { CONSUMER, commandsOf, type Publisher, publisher, TOPIC } from './operator.js';

const UUID = /^[0-9a-f-]{36}$/;

const product = useProduct();
let events: Publisher;
let letterId: string;

beforeAll(async () => {
  events = await publisher(product());
});

afterAll(async () => {
  await events?.close();
});

const { begin, cli } = commandsOf(product);

describe('junction dlq', () => {
  it('lists, shows, redrives and drops a record that could not be handled', async () => {
    const userId = randomUUID();
    await events.publish(userId, 'inbox.exploded', { note: 'for her eyes only' });
    const hers = `dlq list --user ${userId}`;
    const letter = await eventually(async () => {
      const [found] = values(await cli(`${hers} --json -s webhooks`));
      expect(found).toMatchObject({ reason: { code: 'ce_type_unknown' }, state: 'open' });
      return found;
    });
    const id = String(letter?.['id']);
    letterId = id;
    expect(letter).toMatchObject({
      id: expect.stringMatching(UUID),
      consumer: CONSUMER,
      topic: TOPIC,
    });

    const [people, shown, record] = await Promise.all(
      [hers, `dlq show ${id}`, `dlq show ${id} --record`].map((line) => cli(`${line} -s webhooks`)),
    );
    expect(people).toMatchObject({ code: 0, err: '', out: expect.stringContaining(id) });
    expect(shown?.out).toContain('ce_type_unknown');
    expect(shown?.out).not.toContain('for her eyes only');
    expect(record?.out).toContain('for her eyes only');

    // The handler has not learnt that kind meanwhile, so it fails again, and says so.
    const redriven = await cli(`dlq redrive ${id} --json -s webhooks`);
    expect(redriven.code).toBe(1);
    expect(values(redriven)).toMatchObject([
      { id, outcome: 'failed', reason: { code: 'ce_type_unknown' } },
    ]);

    const dropped = await cli(`dlq drop --user ${userId} --note a-broken-producer -s webhooks`);
    expect(dropped).toMatchObject({ code: 0, out: expect.stringContaining('dropped') });
    expect(values(await cli(`dlq show ${id} --json -s webhooks`))).toMatchObject([
      { state: 'discarded', resolved_by: 'cli_operator', note: 'a-broken-producer', redrives: 1 },
    ]);
    expect(values(await cli(`${hers} --json -s webhooks`))).toEqual([]);
  });

  it('leaves an event of each change, with what came of it and no text', async () => {
    const follower = begin('events follow -c ops --beginning --json -s webhooks');
    const isAsked = ({ type, data }: Record<string, unknown>) =>
      type === 'ops.requested' && JSON.stringify(data).includes(letterId);
    const asked = await eventually(() => {
      const found = values({ out: follower.out() }).find(isAsked);
      expect(found).toBeDefined();
      return found;
    });
    follower.interrupt();
    const { out } = await follower.ended;
    expect(out).toContain('ListDeadLetters');
    expect(out).not.toContain('broken-producer');
    expect(asked).toMatchObject({
      data: { method: 'RedriveDeadLetters', clientId: 'cli_operator' },
      metadata: { actor: 'service cli_operator' },
    });
    const [state] = values(
      await cli(`events state ${String(asked?.['stream_id'])} --json -s webhooks`),
    );
    expect(state).toMatchObject({ state: { status: 'completed', result: { failed: 1 } } });
  });

  it('lists those of auth, which hears what the others have deleted and what it ended itself', async () => {
    expect(await cli('dlq list -s auth')).toMatchObject({ code: 0, err: '' });
    const consumed = values(await cli('consumers list --json -s auth'));
    expect(new Set(consumed.map(({ topic }) => topic))).toEqual(
      new Set(['auth.events.v1', 'integrations.events.v1', 'user.events.v1', 'webhooks.events.v1']),
    );
  });

  it.each([
    ['dlq redrive', 2, 'Name ids, or else'],
    [`dlq drop ${randomUUID()}`, 2, "'--note <why>' not specified"],
    [`dlq show ${randomUUID()}`, 1, 'There is no dead letter'],
    [`dlq redrive ${randomUUID()}`, 1, '1 of 1 dead letters were not redriven'],
  ])('says what is wrong with %s', async (line, code, words) => {
    const ended = await cli(`${line} -s webhooks`);
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(words);
  });
});
