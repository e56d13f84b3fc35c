import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CLIENT_ID,
  type ForeignIssuer,
  PUSHED,
  startForeignIssuer,
} from '../../../test/foreign-issuer.js';
import { issuerSignIns } from './issuer-sign-in.js';

let issuer: ForeignIssuer;
beforeAll(async () => {
  issuer = await startForeignIssuer();
});
afterAll(async () => issuer?.close());

describe('an issuer that takes pushed authorization requests alone', () => {
  it('gets them, and while it fails nobody is sent there', async () => {
    issuer.needPushed();
    const publicUrl = 'https://junction.example';
    const trustedIssuers = [issuer.settings];
    const signIns = issuerSignIns({ trustedIssuers, publicUrl, variable: () => undefined, fetch });
    const begun = await signIns.get('acme')?.begin();
    expect(Object.fromEntries(begun?.url.searchParams ?? [])).toEqual({
      client_id: CLIENT_ID,
      request_uri: `urn:pushed:${begun?.pending.state}`,
    });

    issuer.fail(PUSHED);
    const refused = { code: 'issuer_unavailable' };
    await expect(signIns.get('acme')?.begin()).rejects.toMatchObject(refused);
  });
});
