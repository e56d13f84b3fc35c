import { describe, expect, it } from '@jest/globals';
import { tokenRequests } from './token-requests.js';

describe('a stop', () => {
  it('waits for the requests under way and refuses others', async () => {
    const requests = tokenRequests();
    let answer = () => {};
    const followed = requests.follow(new Promise<void>((resolve) => (answer = resolve)));
    let isDrained = false;
    const drained = requests.drain().then(() => (isDrained = true));
    const stopping = expect.objectContaining({ kind: 'unavailable', code: 'stopping' });
    expect(requests.refuseWhenStopping).toThrow(stopping);

    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    answer();
    await Promise.all([followed, drained]);
  });
});
