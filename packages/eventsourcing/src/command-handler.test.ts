import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { commandHandler } from './command-handler.js';
import type { Command, Decider, Event } from './decider.js';
import type { EventStore } from './event-store.js';
import { inMemoryEventStore, specification } from './testing.js';

type DoorEvent = Event<'opened', { by: string }> | Event<'closed'>;
type DoorCommand = Command<'open', { by: string }> | Command<'close'>;

const door: Decider<boolean, DoorCommand, DoorEvent> = {
  initialState: false,
  decide(command, isOpen) {
    if (command.type === 'close') return isOpen ? [{ type: 'closed', data: {} }] : [];
    if (isOpen) throw new AppError('conflict', 'already_open', 'The door is open already.');
    return [{ type: 'opened', data: command.data }];
  },
  evolve: (_, event) => event.type === 'opened',
};

const { given } = specification(door);

describe('the sentence of domain tests', () => {
  it('holds for events, for nothing and for a refusal', () => {
    given().when(open).thenEvents(opened);
    given().when(close).thenNothing();
    given(opened).when(open).thenRefused('already_open');
  });

  it('fails when it is not so', () => {
    const differs = /toEqual/;
    expect(() => given().when(open).thenNothing()).toThrow(differs);
    expect(() => given(opened).when(close).thenEvents(opened)).toThrow(differs);
    expect(() => given().when(open).thenRefused('already_open')).toThrow(/toThrow/);
    expect(() => given(opened).when(open).thenRefused('other_code')).toThrow(/toThrow/);
  });
});

describe('a command', () => {
  it('is decided on the history and appended to it', async () => {
    const { store, handle } = house();
    await handle('door-1', open);
    expect(await handle('door-1', close)).toEqual({
      events: [closed],
      version: 2,
      repeated: false,
    });
    expect(await store.load('door-1')).toEqual({ history: [opened, closed], version: 2 });
  });

  it('appends nothing when there is nothing to do', async () => {
    const { store, handle } = house();
    expect(await handle('door-1', close)).toEqual({ events: [], version: 0, repeated: false });
    expect(store.recorded).toEqual([]);
  });

  it('is decided again when others came first', async () => {
    const { store } = house();
    const handle = commandHandler(overtaken(store, 1), door);
    await expect(handle('door-1', open)).rejects.toMatchObject({ code: 'already_open' });
    expect(store.recorded.map(({ event }) => event)).toEqual([
      { type: 'opened', data: { by: '1' } },
    ]);
  });

  it('gives up after three rounds and asks the caller to try again', async () => {
    const { store } = house();
    const always = commandHandler(overtaken(store, 4), { ...door, evolve: () => false });
    await expect(always('door-1', open)).rejects.toMatchObject({
      kind: 'contended',
      code: 'stream_contended',
    });
    expect(store.recorded).toHaveLength(3);
  });
});

describe('a repeated command', () => {
  it('hears what the first one heard, although the state would refuse it by now', async () => {
    const { store, handle } = house();
    const context = { commandId: randomUUID() };
    await handle('door-1', open, context);

    expect(await handle('door-1', open, context)).toEqual({
      events: [opened],
      version: 1,
      repeated: true,
    });
    expect(store.recorded).toHaveLength(1);
  });

  it('hears it although there would be nothing to do by now', async () => {
    const { handle } = house();
    const context = { commandId: randomUUID() };
    await handle('door-1', open);
    await handle('door-1', close, context);
    expect(await handle('door-1', close, context)).toMatchObject({ events: [closed], version: 2 });
  });

  it('hears it although something else could be done by now', async () => {
    const { store, handle } = house();
    const context = { commandId: randomUUID() };
    await handle('door-1', open, context);
    await handle('door-1', close);
    expect(await handle('door-1', open, context)).toMatchObject({ version: 1, repeated: true });
    expect(store.recorded).toHaveLength(2);
  });

  it('is refused like any other when the first one was refused too', async () => {
    const { handle } = house();
    const context = { commandId: randomUUID() };
    await handle('door-1', open);
    for (let time = 1; time <= 2; time++) {
      await expect(handle('door-1', open, context)).rejects.toMatchObject({ code: 'already_open' });
    }
  });
});

const open: DoorCommand = { type: 'open', data: { by: 'me' } };
const close: DoorCommand = { type: 'close', data: {} };
const opened: DoorEvent = { type: 'opened', data: { by: 'me' } };
const closed: DoorEvent = { type: 'closed', data: {} };

function house() {
  const store = inMemoryEventStore<DoorEvent>();
  return { store, handle: commandHandler(store, door) };
}

/** Somebody else opens the door between our load and our append, so many times. */
function overtaken(store: EventStore<DoorEvent>, times: number): EventStore<DoorEvent> {
  let time = 0;
  return {
    ...store,
    async load(streamId) {
      const loaded = await store.load(streamId);
      if (++time <= times) {
        const events: DoorEvent[] = [{ type: 'opened', data: { by: String(time) } }];
        await store.append([{ streamId, expected: 'any', events }]);
      }
      return loaded;
    },
  };
}
