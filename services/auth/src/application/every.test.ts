import { describe, expect, it } from '@jest/globals';
import { every } from './every.js';

describe('a routine', () => {
  it('goes on after a turn that failed, and tells about it', async () => {
    const errors: unknown[] = [];
    let turns = 0;
    await new Promise<void>((resolve) => {
      const routine = every(
        1,
        async () => {
          turns++;
          if (turns === 1) throw new Error('not this time');
          if (turns === 3) void routine.stop().then(resolve);
        },
        (error) => errors.push(error),
      );
    });

    expect(turns).toBe(3);
    expect(errors).toEqual([new Error('not this time')]);
  });

  it('waits for the turn under way when it is stopped', async () => {
    let entered = () => {};
    let finish = () => {};
    const started = new Promise<void>((resolve) => (entered = resolve));
    const routine = every(
      1,
      () => {
        entered();
        return new Promise<void>((resolve) => (finish = resolve));
      },
      () => {},
    );

    await started;
    let stopped = false;
    const stopping = routine.stop().then(() => (stopped = true));
    await Promise.resolve();
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(stopped).toBe(true);
  });
});
