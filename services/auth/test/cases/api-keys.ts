import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Authenticator, authenticator } from '../authenticator.js';
import { problem, signUp, tokenFor } from '../http-client.js';
import type { UsedAuth } from '../started-auth.js';

export function apiKeyCases({ auth, ask }: UsedAuth): void {
  let grpc: Authenticator;
  beforeAll(() => {
    grpc = authenticator(auth().grpcAddress);
  });
  afterAll(() => grpc.close());

  const newKey = async (token: string): Promise<{ id: string; key: string }> => {
    const { body } = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'test' } });
    return body as { id: string; key: string };
  };

  describe('an API key', () => {
    it('is shown once, listed without its secret, and opens the API for its owner', async () => {
      const { id: userId, accessToken: token } = await signUp(ask);
      const {
        status: created,
        body,
        headers,
      } = await ask('POST', '/api/auth/api-keys', {
        token,
        json: { name: ' laptop ' },
      });
      expect(created).toBe(201);
      const { key, ...rest } = body as { key: string; id: string };
      expect(key).toMatch(/^jn_live_[0-9a-f]{32}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
      expect(rest).toEqual({
        id: expect.stringMatching(/^key_/),
        name: 'laptop',
        scopes: ['api'],
        created_at: expect.any(String),
        expires_at: null,
        previous_valid_until: null,
        last_used_at: null,
      });

      const list = await ask('GET', '/api/auth/api-keys', { token });
      expect(list.body).toEqual({ items: [rest], next_cursor: null });
      const one = headers.get('location') ?? 'missing';
      expect((await ask('GET', one, { token })).body).toEqual(rest);
      expect((await ask('GET', '/api/auth/me', { token: key })).body).toMatchObject({
        user: { id: userId },
      });
    });

    it('is made, and gets another secret, once for each Idempotency-Key', async () => {
      const { accessToken: token } = await signUp(ask);
      const post = async (path: string, json: object, key: string) =>
        ask('POST', `/api/auth/api-keys${path}`, {
          token,
          json,
          headers: { 'idempotency-key': key },
        });
      const made = await post('', { name: 'laptop' }, 'one');
      const again = await post('', { name: 'laptop' }, 'one');
      expect(made.status).toBe(201);
      expect(again).toMatchObject({ status: 201, body: made.body });
      expect(again.headers.get('location')).toBe(made.headers.get('location'));
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      const { id, key } = made.body as { id: string; key: string };
      const other = await post('', { name: 'phone' }, 'one');
      expect(other).toEqual(problem(422, 'idempotency_key_reused'));
      const rotated = await post(`/${id}/rotate`, {}, 'two');
      expect((rotated.body as { key: string }).key).not.toBe(key);
      expect((await post(`/${id}/rotate`, {}, 'two')).body).toEqual(rotated.body);
      const list = await ask('GET', '/api/auth/api-keys', { token });
      expect(list.body).toMatchObject({ items: [{ id }] });
    });

    it('is rotated, with an overlap in which its two secrets count', async () => {
      const { accessToken: token } = await signUp(ask);
      const { id, key: first } = await newKey(token);
      const rotate = (json: object) =>
        ask('POST', `/api/auth/api-keys/${id}/rotate`, { token, json });
      const { status, body } = await rotate({});
      expect(status).toBe(200);
      const { key: second, ...view } = body as { key: string; previous_valid_until: string };
      expect(view).toMatchObject({ id, name: 'test', scopes: ['api'] });
      const leftMs = new Date(view.previous_valid_until).getTime() - Date.now();
      expect(leftMs).toBeGreaterThan(23 * 3_600_000);
      for (const key of [first, second]) {
        expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(200);
      }
      for (const overlap_s of [-1, 1, 59, 604_801, 60.5, '60']) {
        expect((await rotate({ overlap_s })).status).toBe(400);
      }
    });

    it('is known to the other services through gRPC, until it is revoked', async () => {
      const { id: userId, accessToken: token } = await signUp(ask);
      const { key, id } = await newKey(token);
      const serviceToken = await tokenFor(ask, auth().verifier, 'auth');

      await expect(grpc.authenticate(key, serviceToken)).resolves.toEqual({
        userId,
        keyId: id,
        scopes: ['api'],
        validUntil: undefined,
        secretVersion: 1,
      });
      for (const twice of [1, 2]) {
        const { status } = await ask('DELETE', `/api/auth/api-keys/${id}`, { token });
        expect([twice, status]).toEqual([twice, 204]);
      }
      await expect(grpc.authenticate(key, serviceToken)).rejects.toMatchObject({
        code: status.UNAUTHENTICATED,
      });
      expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(401);
    });

    it('needs a name that can be shown', async () => {
      const { accessToken: token } = await signUp(ask);
      for (const json of [
        {},
        { name: ' ' },
        { name: 'a\u0000b' },
        { name: '\ud800' },
        { name: 'x'.repeat(101) },
        { name: 'x', scopes: ['all'] },
        { name: 'x', scopes: ['account:write'] },
        { name: 'x', scopes: [] },
        { name: 'x', expires_at: '2020-01-01T00:00:00Z' },
        { name: 'x', expires_at: 'soon' },
      ]) {
        expect((await ask('POST', '/api/auth/api-keys', { token, json })).status).toBe(400);
      }
    });
  });

  describe('AuthService.Authenticate', () => {
    it('tells a malformed key from an unknown one by nothing', async () => {
      const token = await tokenFor(ask, auth().verifier, 'auth');
      const details = new Set<string>();
      for (const key of ['', 'nonsense', `jn_live_${'0'.repeat(32)}_${'a'.repeat(43)}_000000`]) {
        const error = await grpc.authenticate(key, token).catch((error: ServiceError) => error);
        expect(error).toMatchObject({ code: status.UNAUTHENTICATED });
        details.add((error as ServiceError).details);
      }
      expect(details.size).toBe(1);
    });
  });
}
