import { describe, expect, it } from '@jest/globals';
import { eventOf, IntakeWorld, unready, webhook } from '../../../test/intake-world.js';
import { deliveryBody } from '../../domain/delivery/body.js';
import type { IncomingEvent } from './ports.js';

const MIB = 1_024 * 1_024;

describe('filing a delivery that was sent early', () => {
  it('stores its success with its row, and has the dispatcher release it', async () => {
    const { world, prepared, id } = await sentEarly();
    world.answer(0, 'succeeded');
    await world.file(prepared);
    expect(world.statements).toEqual([[[id, 'succeeded']]]);
    expect(world).toMatchObject({ released: [id], written: [id], stored: [], accepted: [] });
  });

  it('stores it as pending when it failed or is unanswered, and hands over the result if there is one', async () => {
    const [failed, silent] = [webhook(), webhook()];
    const world = new IntakeWorld(failed, silent);
    const prepared = await world.prepare(eventOf());
    world.answer(0, 'failed');
    await world.file(prepared);
    const ids = [failed.webhookId, silent.webhookId];
    expect(world.statements).toEqual([ids.map((id) => [id, undefined])]);
    expect(world).toMatchObject({ stored: ids, results: [failed.webhookId] });
    expect(world).toMatchObject({ released: [], written: [], accepted: [] });
  });

  it('stores it as pending when its answer comes during the transaction', async () => {
    const { world, prepared, id } = await sentEarly();
    const commit = await world.begin(prepared);
    world.answer(0, 'succeeded');
    commit();
    expect(world.statements).toEqual([[[id, undefined]]]);
    expect(world).toMatchObject({ stored: [id], results: [id], released: [], written: [] });
  });

  it('stores it as pending when it was removed unsent, and hands it to the dispatcher like any other', async () => {
    const { world, prepared, id } = await sentEarly();
    world.answer(0, 'removed');
    await world.file(prepared);
    expect(world).toMatchObject({ accepted: [id], stored: [], released: [] });
  });

  it('stores nothing when another replica has filed the event, whose row gets the result', async () => {
    const [early, late] = [webhook(), unready()];
    const world = new IntakeWorld(early, late);
    const event = eventOf();
    const prepared = await world.prepare(event);
    world.answer(0, 'succeeded');
    world.filedElsewhere.add(event.messageId);
    await world.file(prepared);
    const { webhookId: id } = early;
    expect(world).toMatchObject({ stored: [id], results: [id], released: [], accepted: [] });
    expect(world.filed).toEqual([]);
    expect([...world.repeats]).toEqual([[event.messageId, 1]]);
  });
});

describe('filing events', () => {
  it('counts how often each came again, and writes no event when all are repeats', async () => {
    const world = new IntakeWorld(webhook());
    const [one, other] = [eventOf(), eventOf()];
    const prepared = await world.prepare(one, other, one, one);
    await world.file(prepared.slice(2));
    expect(world.records).toBe(0);
    expect([...world.repeats]).toEqual([[one.messageId, 2]]);
    await world.file(prepared.slice(0, 2));
    expect(world).toMatchObject({ records: 1, counts: 1 });
    expect(world.filed).toEqual([one.messageId, other.messageId]);
    expect([...world.repeats]).toEqual([[one.messageId, 2]]);
  });

  it('records an event that no webhook gets', async () => {
    const world = new IntakeWorld();
    const event = eventOf();
    await world.file(await world.prepare(event));
    expect(world).toMatchObject({ statements: [[]], accepted: [], filed: [event.messageId] });
  });

  it('hands the dispatcher what is pending, and nothing that is held', async () => {
    const [pending, held] = [unready(), webhook({ status: 'disabled' })];
    const world = new IntakeWorld(pending, held);
    await world.file(await world.prepare(eventOf()));
    expect(world.statements[0]).toHaveLength(2);
    expect(world.accepted).toEqual([pending.webhookId]);
  });

  it.each<[string, number, IncomingEvent, readonly number[]]>([
    ['500 deliveries', 1_001, eventOf(), [500, 500, 1]],
    ['16 MiB of bodies', 5, eventWithBody(8 * MIB), [2, 2, 1]],
    ['16 MiB of bodies, which one byte exceeds', 3, eventWithBody(8 * MIB + 1), [1, 1, 1]],
    ['one delivery that is larger', 2, eventWithBody(17 * MIB), [1, 1]],
  ])('writes statements of at most %s', async (_, webhooks, event, rows) => {
    const world = new IntakeWorld(...Array.from({ length: webhooks }, unready));
    await world.file(await world.prepare(event));
    expect(world.statements.map(({ length }) => length)).toEqual(rows);
  });

  it.each([
    ['2,000 jobs', 2_001, eventOf(), 2_000],
    ['32 MiB of bodies', 5, eventWithBody(8 * MIB), 4],
  ])('hands the dispatcher at most %s, and leaves the rest to the table', async (...one) => {
    const [, webhooks, event, jobs] = one;
    const world = new IntakeWorld(...Array.from({ length: webhooks }, unready));
    await world.file(await world.prepare(event));
    expect(world.accepted).toHaveLength(jobs);
  });

  it('writes no later statement for an event that another replica has filed', async () => {
    const world = new IntakeWorld(...Array.from({ length: 501 }, unready));
    const [theirs, ours] = [eventOf(), eventOf()];
    const prepared = await world.prepare(theirs, ours);
    world.filedElsewhere.add(theirs.messageId);
    await world.file(prepared);
    expect(world.statements.map(({ length }) => length)).toEqual([500, 499, 2]);
    world.statements.length = 0;
    const alone = await world.prepare(theirs);
    await world.file(alone);
    expect(world.statements.map(({ length }) => length)).toEqual([500]);
  });
});

/** Returns an event whose deliveries have bodies of that many bytes. */
function eventWithBody(bytes: number): IncomingEvent {
  const event = eventOf();
  const { userId, time, kind: eventType } = event;
  const { webhookId } = webhook();
  const around = deliveryBody({ eventType, userId, time, webhookId }, Buffer.alloc(0)).length;
  return { ...event, data: Buffer.alloc(bytes - around) };
}

async function sentEarly() {
  const only = webhook();
  const world = new IntakeWorld(only);
  return { world, prepared: await world.prepare(eventOf()), id: only.webhookId };
}
