import { expect, it } from '@jest/globals';
import { SOCKETS_MAX } from '../../application/sending/scheduler/limits.js';
import { openFiles, socketsAllowed } from './open-files.js';

it('warns of a limit of open files below the attempts that may be under way, with the number that is needed', async () => {
  expect(await openFiles(() => SOCKETS_MAX).look()).toEqual(expect.any(String));
  expect(await openFiles(() => 524).look()).toMatchObject([
    { found: expect.stringContaining('524'), remedy: expect.stringContaining('4500') },
  ]);
});

it('reads the limit of this process', () => {
  expect(socketsAllowed()).toBeGreaterThan(0);
});
