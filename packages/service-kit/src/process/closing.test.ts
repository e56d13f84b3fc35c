import { describe, expect, it } from '@jest/globals';
import { until } from '../../test/loopback.js';
import { Closing } from './closing.js';
import { logger } from './logging/logger.js';

describe('what was opened', () => {
  it('is closed in reverse, also past one that refuses to close', async () => {
    const { closing, closed, lines } = open();
    closing.add('pool', 'pool', async (name) => closed.push(name));
    closing.add('relay', 'relay', () => Promise.reject(new Error('stuck')));
    closing.add('http', 'http', (name) => closed.push(name));

    await closing.closeAll();
    expect(closed).toEqual(['http', 'pool']);
    expect(lines.join('')).toContain('"component":"relay"');
  });

  it('is closed once, however often that is asked for', async () => {
    const { closing, closed } = open();
    closing.add('pool', 'pool', async (name) => closed.push(name));
    await Promise.all([closing.closeAll(), closing.closeAll()]);
    await closing.closeAll();
    expect(closed).toEqual(['pool']);
  });

  it('is closed as well when it was opened after the stop began', async () => {
    const { closing, closed } = open();
    await closing.closeAll();
    closing.add('late', 'late', async (name) => closed.push(name));
    await closing.closeAll();
    expect(closed).toEqual(['late']);
  });

  it('is told first of all, and only once, that a stop has begun', async () => {
    const { closing, closed } = open();
    const announce = (name: string) => void closed.push(`${name} knows`);
    closing.add('pool', 'pool', async (name) => closed.push(name));
    closing.add('http', 'http', async (name) => closed.push(name), { announce });
    closing.announce();
    closing.add('late', 'late', async (name) => closed.push(name), { announce });
    await closing.closeAll();
    expect(closed).toEqual(['http knows', 'late knows', 'late', 'http', 'pool']);
  });

  it('begins to close together where that is safe, and is waited for in its place', async () => {
    const { closing, closed } = open();
    const slow = { finish: () => {} };
    closing.add('pool', 'pool', async (name) => closed.push(name));
    const finish = async (name: string) => {
      closed.push(`${name} begins`);
      await new Promise<void>((resolve) => {
        slow.finish = resolve;
      });
      closed.push(name);
    };
    closing.add('deliveries', 'deliveries', finish, { atOnce: true });
    closing.add('producer', 'producer', async (name) => closed.push(name));
    const all = closing.closeAll();
    await until(() => closing.pending().length === 2);
    expect(closed).toEqual(['deliveries begins', 'producer']);
    expect(closing.pending()).toEqual(['deliveries', 'pool']);
    slow.finish();
    await all;
    expect(closed).toEqual(['deliveries begins', 'producer', 'deliveries', 'pool']);
    expect(closing.pending()).toEqual([]);
  });

  it('comes back from being registered', () => {
    const { closing } = open();
    expect(closing.add('answer', 42, async () => undefined)).toBe(42);
  });
});

function open() {
  const lines: string[] = [];
  const log = logger('test', 'info', { destination: { write: (line) => void lines.push(line) } });
  return { closing: new Closing(log), closed: [] as string[], lines };
}
