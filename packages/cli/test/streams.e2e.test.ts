import { beforeAll, describe, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { eventually } from '@junction/testing';
import { values } from './junction.js';
import { commandsOf, userWithWebhook } from './operator.js';

const product = useProduct();
let made: Awaited<ReturnType<typeof userWithWebhook>>;

beforeAll(async () => {
  made = await userWithWebhook(product());
});

const { begin, cli } = commandsOf(product);

describe('junction events', () => {
  it('lists a stream, for people and for machines', async () => {
    const people = await cli(`events list -s webhooks ${made.webhook}`);
    expect(people).toMatchObject({ code: 0, err: '' });
    expect(people.out).toMatch(
      /VERSION {2}TYPE .*\n +1 {2}webhook\.configured .*\n +2 {2}webhook\.updated /,
    );

    const machines = await cli(`events list -s webhooks ${made.webhook} --json --after 1`);
    expect(values(machines)).toEqual([
      expect.objectContaining({ stream_id: made.webhook, version: 2, type: 'webhook.updated' }),
    ]);
  });

  it('shows an event by its place and by its id, sealed fields as sealed', async () => {
    const byPlace = await cli(`events show -s auth ${made.user}@1`);
    expect(byPlace.code).toBe(0);
    expect(byPlace.out).toContain('"email": "[sealed]"');
    expect(byPlace.out).not.toContain(made.address);

    const place = `events show -s webhooks ${made.webhook} 1 --json`;
    const [event] = values(await cli(place));
    expect(event).toMatchObject({ type: 'webhook.configured', data: { url: '[sealed]' } });
    const id = `events show -s webhooks ${String(event?.['event_id'])} --json`;
    expect(values(await cli(id))).toEqual([event]);
    expect(values(await cli(`${id} --stream ${made.webhook}`))).toEqual([event]);
  });

  it('gives a state as of now, of a version and of a time', async () => {
    const state = async (asOf = '') =>
      values(await cli(`events state -s webhooks ${made.webhook} --json${asOf}`))[0];
    const [first] = values(await cli(`events show -s webhooks ${made.webhook} 1 --json`));
    const configured = { state: 'live', url: '[sealed]', paused: false };
    expect(await state()).toMatchObject({ version: 2, state: { paused: true, url: '[sealed]' } });
    expect(await state(' --version 1')).toMatchObject({ version: 1, state: configured });
    expect(await state(` --at ${String(first?.['recorded_at'])}`)).toMatchObject({
      version: 1,
      recorded_at: first?.['recorded_at'],
      state: configured,
    });
    expect(await state(' --at 2020-01-01T00:00:00+01:00')).toMatchObject({
      version: 0,
      state: { state: 'none' },
    });
  });

  it('follows live: an event made meanwhile is seen; Ctrl-C ends it well', async () => {
    const follower = begin('events follow -s webhooks -c webhook --json');
    await eventually(() => expect(follower.err()).toContain('Following.'));
    await made.call('PATCH', `/api/webhooks/${made.webhookId}`, { json: { paused: false } });
    await eventually(() =>
      expect(values({ out: follower.out() })).toContainEqual(
        expect.objectContaining({ stream_id: made.webhook, version: 3, type: 'webhook.updated' }),
      ),
    );
    follower.interrupt();
    expect(await follower.ended).toMatchObject({ code: 0 });
  });

  it.each([
    ['events list -s webhooks webhook-nope', 1, 'There is no stream webhook-nope'],
    ['events list -s auth somebody@example.com', 2, 'Letters, digits'],
  ])('says what is wrong with %s', async (line, code, words) => {
    const ended = await cli(line);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(words);
  });
});

it('junction doctor finds all that a service needs, and every stream, well', async () => {
  const ended = await cli('doctor -s auth --events --json');
  expect(ended.code).toBe(0);
  const found = values(ended);
  expect(found.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['database', 'migrations', 'topics', 'key ring', 'mail', 'events']),
  );
  expect(found.filter(({ state }) => state === 'problem')).toEqual([]);
});
