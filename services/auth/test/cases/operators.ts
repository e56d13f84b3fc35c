import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { addTotp } from '../add-totp.js';
import { logIn, type Person, signUp } from '../http-client.js';
import { asTool } from '../operator-client.js';
import type { UsedAuth } from '../started-auth.js';

const ROUTES = ['health', 'consumers', 'dead-letters', 'projections', 'keys', 'audit', 'users'].map(
  (name) => `/api/ops/auth/${name}`,
);

export function operatorCases({ auth, ask }: UsedAuth): void {
  let user: Person;
  let operator: Person;
  /** The token of the operator's session, which has shown a second factor. */
  let token: string;
  /** Returns the refused attempts of an actor in the audit: method and code, the newest first. */
  const refusalsOf = async (actor: string): Promise<readonly (readonly [string, string])[]> => {
    const { body } = await ask('GET', `/api/ops/auth/audit?actor=${actor}`, { token });
    const { items } = body as { items: { outcome: string; method: string; code: string }[] };
    return items
      .filter(({ outcome }) => outcome === 'refused')
      .map(({ method, code }) => [method, code]);
  };
  const makeOperator = async ({ email }: Person): Promise<void> => {
    const made = await asTool(auth(), ask, { method: 'POST', path: 'operators', json: { email } });
    expect(made.status).toBe(200);
  };

  describe("the operators' routes", () => {
    beforeAll(async () => {
      [user, operator] = [await signUp(ask), await signUp(ask)];
      await makeOperator(operator);
      token = (await addTotp(ask, (await logIn(ask, operator)).accessToken)).accessToken;
    });

    it('page through users, and find one by the exact address', async () => {
      const list = async (query: string) =>
        (await ask('GET', `/api/ops/auth/users?${query}`, { token })).body as {
          items: { id: string }[];
          next_cursor: string | null;
        };
      const first = await list('limit=1');
      const second = await list(`limit=1&cursor=${first.next_cursor}`);
      const both = [...first.items, ...second.items].map(({ id }) => id);
      expect(both).toEqual([operator.id, user.id]);
      const found = await list(`email=${encodeURIComponent(user.email)}`);
      expect(found.items.map(({ id }) => id)).toEqual([user.id]);
    });

    it('record who was refused what and why, and repeats of it once', async () => {
      const [person, other] = [await signUp(ask), await signUp(ask)];
      await makeOperator(other);
      const without = (await logIn(ask, other)).accessToken;
      const made = await ask('POST', '/api/auth/api-keys', {
        json: { name: 'laptop' },
        token: person.accessToken,
      });
      const { key } = made.body as { key: string };
      const users = '/api/ops/auth/users';
      for (let n = 0; n < 3; n++) await ask('GET', users, { token: person.accessToken });
      await ask('GET', `${users}/${person.email}`, { token: person.accessToken });
      await ask('POST', `${users}/${user.id}/remove-factors`, { token: without, json: {} });
      await ask('GET', '/api/ops/auth/keys', { token: key });
      await ask('GET', '/api/ops/auth/keys', { token: `${without}x` });

      await eventually(async () => {
        expect(await refusalsOf(person.id)).toEqual([
          ['GET /api/ops/auth/keys', 'insufficient_scope'],
          ['GET /api/ops/auth/users/:id', 'operator_required'],
          ['GET /api/ops/auth/users', 'operator_required'],
        ]);
        expect(await refusalsOf(other.id)).toEqual([
          ['POST /api/ops/auth/users/:id/remove-factors', 'second_factor_needed'],
        ]);
      });
    });

    it('record which service lacked the scope', async () => {
      const path = 'operators';
      expect(await asTool(auth(), ask, { method: 'GET', path, scope: 'ops:write' })).toMatchObject({
        status: 403,
        body: { code: 'scope_missing' },
      });
      await eventually(async () =>
        expect(await refusalsOf(auth().worker.id)).toEqual([
          ['GET /internal/api/ops/auth/operators', 'scope_missing'],
        ]),
      );
    });

    it('answer operators, without an address in full or a token, and record each access', async () => {
      for (const route of [...ROUTES, ...ROUTES, `/api/ops/auth/users/${user.id}`]) {
        const { status, body } = await ask('GET', route, { token });
        expect([route, status]).toEqual([route, 200]);
        const text = JSON.stringify(body);
        for (const secret of [user.email, operator.email, user.refreshToken, token])
          expect(text).not.toContain(secret);
      }
      const audit = await ask('GET', `/api/ops/auth/audit?actor=${operator.id}`, { token });
      const { items } = audit.body as { items: { method: string }[] };
      const times = (name: string) => items.filter(({ method }) => method === name).length;
      expect(items[0]).toMatchObject({
        actor: { kind: 'user', id: operator.id },
        method: 'ListAccesses',
        outcome: 'read',
      });
      // Health alone is answered without a record.
      expect([times('GetHealth'), times('ListProjections'), times('GetUser')]).toEqual([0, 2, 1]);
    });

    it('remove the factors of a user who has lost them', async () => {
      const lost = await signUp(ask);
      await addTotp(ask, lost.accessToken);
      const remove = async (id: string) =>
        ask('POST', `/api/ops/auth/users/${id}/remove-factors`, { token, json: {} });
      expect(await remove(lost.id)).toMatchObject({
        status: 200,
        body: { factors: 1, sessions: 1 },
      });
      expect((await logIn(ask, lost)).accessToken).toEqual(expect.any(String));
      expect(await remove(randomUUID())).toMatchObject({ status: 404 });
      const audit = await ask('GET', `/api/ops/auth/audit?actor=${operator.id}`, { token });
      expect((audit.body as { items: object[] }).items).toContainEqual(
        expect.objectContaining({ method: 'RemoveFactors', outcome: 'completed' }),
      );
    });
  });
}
