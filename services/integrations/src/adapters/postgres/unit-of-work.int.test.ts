import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { useAdapters } from '../../../test/on-postgres.js';

const adapters = useAdapters();

it('changes of one user wait for each other without a connection, and those of another beside them', async () => {
  const { unitOfWork, pool } = adapters();
  const user = randomUUID();
  let begun = 0;
  let end = (): void => undefined;
  const gate = new Promise<void>((resolve) => (end = resolve));
  const change = () =>
    unitOfWork.inUserTurn(user, async () => {
      begun += 1;
      await gate;
    });
  const changes = Array.from({ length: 30 }, change);
  await eventually(() => expect(begun).toBe(1));
  await unitOfWork.inUserTurn(randomUUID(), async () => undefined);
  expect(begun).toBe(1);
  expect(pool.totalCount - pool.idleCount).toBe(1);
  expect(pool.waitingCount).toBe(0);

  // Tokens that exist nowhere else are not refused because a line is full.
  const saving = unitOfWork.inUserTurn(user, async () => 'saved', { retryForMs: 5_000 });
  end();
  expect(await saving).toBe('saved');
  await Promise.all(changes);
  expect(begun).toBe(30);
});
