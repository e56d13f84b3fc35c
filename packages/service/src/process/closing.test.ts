import { describe, expect, it } from '@jest/globals';
import { until } from '../../test/loopback.js';
import { Closing } from './closing.js';
import { logger } from './logging/logger.js';

describe('closing what was opened', () => {
  it('closes in reverse, also past a resource that refuses to close', async () => {
    const { closing, closed, lines } = open();
    closing.add('pool', 'pool', async (name) => closed.push(name));
    closing.add('relay', 'relay', () => Promise.reject(new Error('stuck')));
    closing.add('http', 'http', (name) => closed.push(name));

    await closing.closeAll();
    expect(closed).toEqual(['http', 'pool']);
    expect(lines.join('')).toContain('"component":"relay"');
  });

  it('closes once, however often that is requested', async () => {
    const { closing, closed } = open();
    closing.add('pool', 'pool', async (name) => closed.push(name));
    await Promise.all([closing.closeAll(), closing.closeAll()]);
    await closing.closeAll();
    expect(closed).toEqual(['pool']);
  });

  it('also closes what was opened after the stop began', async () => {
    const { closing, closed } = open();
    await closing.closeAll();
    closing.add('late', 'late', async (name) => closed.push(name));
    await closing.closeAll();
    expect(closed).toEqual(['late']);
  });

  it('announces a stop first of all, and only once', async () => {
    const { closing, closed } = open();
    const announce = (name: string) => void closed.push(`${name} knows`);
    closing.add('pool', 'pool', async (name) => closed.push(name));
    closing.add('http', 'http', async (name) => closed.push(name), { announce });
    closing.announce();
    closing.add('late', 'late', async (name) => closed.push(name), { announce });
    await closing.closeAll();
    expect(closed).toEqual(['http knows', 'late knows', 'late', 'http', 'pool']);
  });

  it('begins to close together where that is safe, and waits for each in its turn', async () => {
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

  it('returns a resource that is registered', () => {
    const { closing } = open();
    expect(closing.add('answer', 42, async () => undefined)).toBe(42);
  });
});

function open() {
  const lines: string[] = [];
  const log = logger('test', 'info', { destination: { write: (line) => void lines.push(line) } });
  return { closing: new Closing(log), closed: [] as string[], lines };
}
