import { expect, it } from '@jest/globals';
import { answerText } from './answer-text.js';

const KB = 1_024;

it.each<[string, number, ((part: string) => void) | undefined]>([
  ['256 KB of an answer that holds no tokens', 256 * KB, undefined],
  ['32 MB of an answer that may hold tokens', 32 * KB * KB, () => {}],
])('reads at most %s', async (_, bytesMax, onPart) => {
  const { response, read, isCancelled } = endless();
  expect(await answerText(response, onPart)).toBe('');
  expect(read()).toBeGreaterThan(bytesMax / 2);
  expect(read()).toBeLessThan(bytesMax + 64 * KB);
  expect(isCancelled()).toBe(true);
});

/** Returns an answer without an end, and how many bytes were read of it. */
function endless() {
  let read = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(to) {
      read += 16 * KB;
      to.enqueue(Buffer.alloc(16 * KB, ' '));
    },
    cancel: () => void (isCancelled = true),
  });
  return { response: new Response(body), read: () => read, isCancelled: () => isCancelled };
}
