import { describe, expect, it } from '@jest/globals';
import { eventIdOf } from '../../index.js';
import { type Counted, countedCodec } from '../../testing.js';
import type { OutboxMessage, PublishPlace } from '../outbox/outbox.js';
import { prepareAppend } from './prepared-append.js';

const COMMAND = '018f2c4e-7b1a-7c3d-8e4f-5a6b7c8d9e0f';

describe('preparing an append', () => {
  it('names events by their command and index, in whatever case the command is written', async () => {
    const { commandId, parts } = await prepared(COMMAND.toUpperCase());
    expect(commandId).toBe(COMMAND);
    const ids = parts.flatMap(({ events }) => events.map(({ eventId }) => eventId));
    expect(ids).toEqual([eventIdOf(COMMAND, 0), eventIdOf(COMMAND, 1), eventIdOf(COMMAND, 2)]);
  });

  it('gives the publisher the stream, id and stored data of each event', async () => {
    const places: PublishPlace[] = [];
    await prepared(COMMAND, (_, at) => {
      places.push(at);
      return undefined;
    });
    expect(places).toEqual([
      { streamId: 'counter-b', eventId: eventIdOf(COMMAND, 0), data: { n: 1 } },
      { streamId: 'counter-b', eventId: eventIdOf(COMMAND, 1), data: { n: 2 } },
      { streamId: 'counter-a', eventId: eventIdOf(COMMAND, 2), data: { n: 3 } },
    ]);
  });

  it('lets no header of the publisher replace one of the envelope', async () => {
    const record = message({ headers: { ce_id: 'mine', 'content-type': 'text/plain' } });
    const { parts } = await prepared(COMMAND, () => record);
    expect(parts[0]?.events[0]?.records[0]?.headers).toEqual({
      'content-type': 'text/plain',
      ce_specversion: '1.0',
      ce_id: eventIdOf(COMMAND, 0),
      ce_source: 'junction/test',
      ce_type: 'counted',
    });
  });

  it('refuses a command id that is no UUID', async () => {
    await expect(prepared('not-a-uuid')).rejects.toThrow(TypeError);
  });
});

const prepared = (
  commandId?: string,
  publish?: (event: Counted, at: PublishPlace) => OutboxMessage | undefined,
) =>
  prepareAppend<Counted>(
    { codec: countedCodec, source: 'junction/test', publish },
    [
      { streamId: 'counter-b', expected: 'any', events: [counted(1), counted(2)] },
      { streamId: 'counter-a', expected: 'any', events: [counted(3)] },
    ],
    commandId === undefined ? {} : { commandId },
  );

const counted = (n: number): Counted => ({ type: 'counted', data: { n } });

const message = (more: Partial<OutboxMessage>): OutboxMessage => ({
  topic: 'counters.events.v1',
  key: 'one',
  type: 'counted',
  payload: Buffer.from('{}'),
  sequenced: true,
  ...more,
});
