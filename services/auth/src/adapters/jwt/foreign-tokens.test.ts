import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { issuerKeys } from '@junction/service/callers';
import { KeysUnavailable } from '@junction/service/outbound';
import {
  DISCOVERY,
  type ForeignIssuer,
  JWKS,
  startForeignIssuer,
} from '../../../test/foreign-issuer.js';
import { trustedIssuers } from './foreign-tokens.js';

const MINUTE_MS = 60_000;

let issuer: ForeignIssuer;
beforeAll(async () => {
  issuer = await startForeignIssuer();
});
beforeEach(() => issuer.recover());
afterAll(async () => issuer.close());

describe('a trusted issuer that is asked', () => {
  it('has answered when it gives its keys, each time it is asked, or has given them a moment before', async () => {
    const { ask, passes } = asked();
    await ask();
    passes(MINUTE_MS);
    const before = issuer.asked(JWKS);
    await ask();
    await ask();
    expect(issuer.asked(JWKS)).toBe(before + 1);
  });

  it.each([DISCOVERY, JWKS])(
    'has not answered while it gives no %s, though its keys of before serve on',
    async (path) => {
      const { ask, passes } = asked();
      await ask();
      issuer.fail(path);
      passes(MINUTE_MS);
      await expect(ask()).rejects.toBeInstanceOf(KeysUnavailable);
      await expect(ask()).rejects.toBeInstanceOf(KeysUnavailable);
      issuer.recover();
      passes(MINUTE_MS);
      await expect(ask()).resolves.toBeUndefined();
    },
  );
});

function asked() {
  let nowMs = 0;
  const { settings } = issuer;
  const keys = issuerKeys({ ...settings, log: { warn: () => {} }, nowMs: () => nowMs });
  const { ask = async () => {} } = trustedIssuers([{ settings, keys }]).get(settings.id) ?? {};
  return { ask, passes: (ms: number) => void (nowMs += ms) };
}
