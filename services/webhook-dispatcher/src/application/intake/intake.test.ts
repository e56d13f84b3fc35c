import { describe, expect, it, jest } from '@jest/globals';
import { RecordError } from '@junction/messaging';
import {
  type Answer,
  eventOf,
  IntakeWorld,
  takenOf,
  unready,
  valid,
  webhook,
} from '../../../test/intake-world.js';
import { type Checked, type Claimed, type Invalid, notTaken } from './intake.js';

const INVALID: Checked = { kind: 'invalid', error: new RecordError('made_up', 'It is bad.') };

describe('preparing an event', () => {
  it('sends it early, and is ready once every early delivery is answered', async () => {
    const world = new IntakeWorld(webhook(), webhook(), unready());
    const [prepared] = await world.prepare(eventOf());
    expect(world.sent).toHaveLength(2);
    world.answer(0, 'succeeded');
    expect(await isReady(prepared)).toBe(false);
    world.answer(1, 'failed');
    expect(await isReady(prepared)).toBe(true);
  });

  it('waits for the other answers when one comes while it is sent', async () => {
    const [first, second] = [webhook(), webhook()];
    const world = new IntakeWorld(first, second);
    world.immediate = first.webhookId;
    const [prepared] = await world.prepare(eventOf());
    expect(await isReady(prepared)).toBe(false);
    world.answer(1, 'succeeded');
    expect(await isReady(prepared)).toBe(true);
  });

  it.each([
    ['the webhook is disabled', webhook({ status: 'disabled' })],
    ['the dispatcher does not take the delivery', unready()],
  ])('sends nothing and is ready at once when %s', async (_, only) => {
    const world = new IntakeWorld(only);
    const [prepared] = await world.prepare(eventOf());
    expect(world.sent).toEqual([]);
    expect(await isReady(prepared)).toBe(true);
  });

  it('is ready after a second without an answer', async () => {
    jest.useFakeTimers();
    try {
      const world = new IntakeWorld(webhook());
      const [prepared] = await world.prepare(eventOf());
      await jest.advanceTimersByTimeAsync(999);
      expect(await isReady(prepared)).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(await isReady(prepared)).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is ready once its answer is late, and files it as pending with an answer that comes after that', async () => {
    const only = webhook();
    const world = new IntakeWorld(only);
    const prepared = await world.prepare(eventOf());
    world.answer(0, 'late');
    expect(await isReady(prepared[0])).toBe(true);
    world.answer(0, 'failed');
    await world.file(prepared);
    expect([world.stored, world.results]).toEqual([[only.webhookId], [only.webhookId]]);
  });

  it('sends it once while it is under way, and drops copies until its rows are committed', async () => {
    const world = new IntakeWorld(webhook());
    const event = eventOf();
    const prepared = await world.prepare(event, event);
    expect(repeatsOf([...prepared, ...(await world.prepare(event))])).toEqual([false, true, true]);
    world.answer(0, 'succeeded');
    await world.file(prepared.slice(1));
    expect(repeatsOf(await world.prepare(event))).toEqual([true]);
    await world.file(prepared.slice(0, 1));
    expect(repeatsOf(await world.prepare(event))).toEqual([false]);
    expect(world.sent).toHaveLength(2);
  });

  it('gives others their turn between its events, and drops a copy that was under way when it began', async () => {
    const world = new IntakeWorld(webhook());
    const [event, other] = [eventOf(), eventOf()];
    const first = await world.prepare(event);
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000));
    try {
      const second = world.prepare(other, event);
      await world.file(first);
      expect(world.sent).toHaveLength(2);
      expect(repeatsOf(await second)).toEqual([false, true]);
    } finally {
      clock.mockRestore();
    }
  });

  it('keeps it under way until the commit', async () => {
    const world = new IntakeWorld(webhook());
    const event = eventOf();
    const commit = await world.begin(await world.prepare(event));
    expect(repeatsOf(await world.prepare(event))).toEqual([true]);
    commit();
    expect(repeatsOf(await world.prepare(event))).toEqual([false]);
  });

  it('drops it while the table has it', async () => {
    const world = new IntakeWorld(webhook());
    const event = eventOf();
    world.seen.add(event.messageId);
    expect(repeatsOf(await world.prepare(event))).toEqual([true]);
    expect(world.sent).toEqual([]);
    world.seen.clear();
    expect(repeatsOf(await world.prepare(event))).toEqual([false]);
  });

  it('answers for each record in order, and hands an invalid one back', async () => {
    const world = new IntakeWorld(webhook());
    const event = eventOf();
    const prepared = await world.claim(INVALID, valid(event), INVALID);
    expect(prepared).toMatchObject([INVALID, { kind: 'claimed', event }, INVALID]);
  });

  it('releases what was sent of an event that cannot be sent on, which is new when it comes again', async () => {
    const [first, second] = [webhook(), webhook()];
    const world = new IntakeWorld(first, second);
    const event = eventOf();
    world.broken = second.webhookId;
    const [claimed] = await world.prepare(event);
    expect(claimed).toMatchObject({
      outcome: { kind: 'invalid', error: { code: 'handler_failed' } },
    });
    expect(await isReady(claimed)).toBe(true);
    expect(world.released).toEqual([first.webhookId]);
    world.broken = undefined;
    expect(repeatsOf(await world.prepare(event))).toEqual([false]);
  });
});

describe('taking an event that was not prepared', () => {
  it('sends nothing early, and drops what the batch, the intake or the table has', async () => {
    const world = new IntakeWorld(webhook());
    const [fresh, sent, known] = [eventOf(), eventOf(), eventOf()];
    await world.prepare(sent);
    world.seen.add(known.messageId);
    const taken = await world.take(...[fresh, fresh, sent, known].map(valid));
    expect(repeatsOf(taken)).toEqual([false, true, true, true]);
    expect(world.sent).toHaveLength(1);
  });

  it('takes it as new again after its transaction has failed', async () => {
    const world = new IntakeWorld(webhook());
    const event = eventOf();
    expect(repeatsOf(await world.take(valid(event)))).toEqual([false]);
    expect(repeatsOf(await world.take(valid(event)))).toEqual([false]);
  });

  it('hands back what is prepared or invalid, and looks nothing up for that alone', async () => {
    const world = new IntakeWorld(webhook());
    const prepared = await world.take(valid(eventOf()));
    const lookups = world.lookups;
    expect(await world.take(...prepared, INVALID)).toEqual([...prepared, INVALID]);
    expect(world.lookups).toBe(lookups);
    const [one, other] = await world.take(...prepared, valid(eventOf()));
    expect(one).toBe(prepared[0]);
    expect(repeatsOf(other ? [other] : [])).toEqual([false]);
  });

  it('makes an event that cannot be matched invalid, and takes a copy of it no less', async () => {
    const world = new IntakeWorld(webhook());
    const bad = eventOf({ time: new Date(Number.NaN) });
    const good = { ...eventOf(), messageId: bad.messageId };
    expect(await world.take(valid(bad), valid(good))).toMatchObject([
      { kind: 'invalid', error: { code: 'handler_failed' } },
      { kind: 'taken', event: { isRepeat: false } },
    ]);
  });
});

describe('giving up an event', () => {
  it('makes it new when it comes again, and releases its early deliveries', async () => {
    const [early, late] = [webhook(), unready()];
    const world = new IntakeWorld(early, late);
    const event = eventOf();
    world.giveUp(await world.prepare(event));
    expect(world.released).toEqual([early.webhookId]);
    expect(repeatsOf(await world.prepare(event))).toEqual([false]);
  });

  it('sends nothing of it when its turn had not come', async () => {
    const world = new IntakeWorld(webhook());
    const [event, other] = [eventOf(), eventOf()];
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000));
    try {
      const [, ...unsent] = await world.claim(valid(other), valid(event));
      world.giveUp(unsent);
      expect(repeatsOf(await world.prepare(event))).toEqual([false]);
      expect(world.sent).toHaveLength(2);
      expect(world.released).toEqual([]);
    } finally {
      clock.mockRestore();
    }
  });

  it('keeps it under way when only its copy is given up', async () => {
    const world = new IntakeWorld(webhook());
    const event = eventOf();
    const [, ...copies] = await world.prepare(event, event);
    world.giveUp(copies);
    expect(repeatsOf(await world.prepare(event))).toEqual([true]);
    expect(world.released).toEqual([]);
  });
});

describe('an error while an event is taken in', () => {
  it.each([
    [new TypeError('secret'), 'Taking the event in failed with TypeError.'],
    ['secret', 'Taking the event in failed with a value that is no Error.'],
  ])('is told by its name alone, since %p may quote the event', (cause, message) => {
    expect(notTaken(cause).error).toMatchObject({ code: 'handler_failed', message, cause });
  });
});

const repeatsOf = (answers: readonly Answer[]): readonly boolean[] =>
  takenOf(answers).map(({ isRepeat }) => isRepeat);

const isReady = async (answer: Claimed | Invalid | undefined): Promise<boolean> =>
  Promise.race([
    answer?.kind === 'claimed' ? answer.ready.then(() => true) : false,
    // Resolves later than promises that are settled already.
    Promise.resolve()
      .then(() => undefined)
      .then(() => false),
  ]);
