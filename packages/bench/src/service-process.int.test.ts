import { expect, it } from '@jest/globals';
import { startService } from './service-process.js';

it('a service that ends at its start ends the bench, by its name', async () => {
  const { signal } = new AbortController();
  await expect(startService({ name: 'auth', env: {}, signal })).rejects.toMatchObject({
    message: expect.stringMatching(/^auth did not start/),
    cause: { message: 'It ended with 1.' },
  });
});
