import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { apiAt } from '@junction/testing';
import { values } from '../junction.js';
import type { OperatedProduct } from '../operator.js';

export function readModelCases({ product, cli }: OperatedProduct): void {
  describe('junction projections', () => {
    it('lists them, and rebuilds one beside the one that answers', async () => {
      const api = apiAt(product().endpoints.gateway);
      const json = { email: `${randomUUID()}@example.com`, password: `pass ${randomUUID()}` };
      expect((await api('POST', '/api/auth/register', { json })).status).toBe(201);
      const list = async () => values(await cli('projections list -s auth --json'));
      expect(await list()).toContainEqual(expect.objectContaining({ name: 'users', version: 1 }));
      const rebuilt = await cli('projections rebuild -s auth users');
      expect(rebuilt).toMatchObject({ code: 0, out: expect.stringContaining('from version 2') });
      // No terminal watches: a line for each phase, and no bar.
      const told = rebuilt.err.trimEnd().split('\n');
      expect(told[0]).toMatch(/^users \d+ % 0\/\d+ 0\/s$/);
      expect(told.at(-2)).toMatch(/^users 100 % (\d+)\/\1 switching$/);
      expect(told.at(-1)).toBe(told.at(-2)?.replace('switching', 'done'));
      expect(await list()).toContainEqual(expect.objectContaining({ name: 'users', version: 2 }));
      const login = await api('POST', '/api/auth/login', { json });
      expect(login.status).toBe(200);
    });

    it.each([
      ['rebuild nothing', 'There is no projection "nothing"'],
      ['discard users', 'is not being rebuilt'],
    ])('refuses %s', async (line, words) => {
      const ended = await cli(`projections ${line} -s auth`);
      expect(ended.code).toBe(1);
      expect(ended.err).toContain(words);
    });
  });
}
