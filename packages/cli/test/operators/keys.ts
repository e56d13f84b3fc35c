import { describe, expect, it } from '@jest/globals';
import { apiAt, eventually } from '@junction/testing';
import { values } from '../junction.js';
import type { OperatedProduct } from '../operator.js';

/** The cases come after others: a leaked key ends the tokens that it signed. */
export function keyCases({ product, user, cli }: OperatedProduct): void {
  describe('junction auth', () => {
    const keyIds = async () => {
      const { body } = await apiAt(product().endpoints.gateway)('GET', '/.well-known/jwks.json');
      return (body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    };

    it('publishes a new signing key before it signs, so that nothing is refused', async () => {
      const before = await keyIds();
      const [rotated] = values(await cli('auth rotate-keys --json')) as [{ kid: string }];
      await eventually(async () => expect(await keyIds()).toContain(rotated.kid));
      expect(await keyIds()).toEqual(expect.arrayContaining(before));
      expect((await user().call('GET', '/api/auth/me')).status).toBe(200);
    });

    it('signs with a new key at once when one has leaked, and ends what the others signed', async () => {
      const ended = await cli('auth rotate-keys --now');
      expect(ended).toMatchObject({ code: 0, err: '' });
      await eventually(async () => {
        expect(await keyIds()).toEqual([ended.out.split(' ')[0]]);
        expect((await user().call('GET', '/api/auth/me')).status).toBe(401);
      });
      const stream = `signing_key-${(await keyIds())[0]}`;
      expect(values(await cli(`events list -s auth ${stream} --json`))).toMatchObject([
        { type: 'signing_key.created' },
      ]);
    });
  });
}
