import { describe, expect, it } from '@jest/globals';
import { COMMAND_EVENTS_MAX, eventIdOf, eventIdsOf } from './event-id.js';

const COMMAND = '018f2c4e-7b1a-7c3d-8e4f-5a6b7c8d9e0f';

describe('an event id', () => {
  it('is the UUIDv5 of its index under the command, and so never changes', () => {
    expect(eventIdOf('6ba7b811-9dad-11d1-80b4-00c04fd430c8', 0)).toBe(
      '035c4ea0-d73b-5bde-bd6f-c806b04f2ec3',
    );
    expect(eventIdOf(COMMAND, 1)).not.toBe(eventIdOf(COMMAND, 0));
    expect(eventIdOf(COMMAND.toUpperCase(), 1)).toBe(eventIdOf(COMMAND, 1));
  });

  it('is listed for every event a command may have', () => {
    expect(new Set(eventIdsOf(COMMAND)).size).toBe(COMMAND_EVENTS_MAX);
    expect(eventIdsOf(COMMAND).at(-1)).toBe(eventIdOf(COMMAND, COMMAND_EVENTS_MAX - 1));
  });

  it('needs a command id that is a UUID', () => {
    expect(() => eventIdOf('not-a-uuid', 0)).toThrow(TypeError);
  });
});
