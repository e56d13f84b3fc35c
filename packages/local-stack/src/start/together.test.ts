import { expect, it } from '@jest/globals';
import { together } from './together.js';

it('the first that fails calls the others off, and its reason counts', async () => {
  const off = new AbortController();
  const waiting = new Promise<never>((_, reject) => {
    off.signal.addEventListener('abort', () => reject(new Error('called off')));
  });
  const failing = Promise.reject(new Error('auth: port 7001 is in use'));
  await expect(together([waiting, failing], () => off.abort())).rejects.toThrow('auth: port 7001');
  await expect(waiting).rejects.toThrow('called off');
});
