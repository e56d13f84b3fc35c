import { describe, expect, it } from '@jest/globals';
import { logger } from '../logging/logger.js';
import { Closing } from './closing.js';

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
