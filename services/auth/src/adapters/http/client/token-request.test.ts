import { describe, expect, it } from '@jest/globals';
import { tokenRequest } from './token-request.js';

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const form = { grant_type: 'client_credentials', audience: 'integrations', scope: 'tokens:read' };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const refusal = (code: string) => expect.objectContaining({ code });

describe('a token request', () => {
  it('may authenticate its client by HTTP Basic, form-encoded first', () => {
    expect(tokenRequest(basic('cli_worker:a%3Ab%2Bc+d'), form)).toEqual({
      proof: { kind: 'secret', clientId: 'cli_worker', secret: 'a:b+c d' },
      audience: 'integrations',
      scopes: ['tokens:read'],
    });
  });

  it('may carry the credentials in the form instead, and then in the form alone', () => {
    const filled = { ...form, client_id: 'cli_worker', client_secret: 's3cret' };
    expect(tokenRequest(undefined, filled)).toMatchObject({ proof: { secret: 's3cret' } });
    expect(() => tokenRequest(basic('cli_worker:s3cret'), filled)).toThrow(
      refusal('invalid_request'),
    );
  });

  it('may carry an assertion of the client, of the one type there is, and then nothing else', () => {
    const signed = { ...form, client_assertion: 'a.b.c', client_assertion_type: JWT_BEARER };
    expect(tokenRequest(undefined, signed).proof).toEqual({ kind: 'assertion', jwt: 'a.b.c' });
    expect(tokenRequest(undefined, { ...signed, client_id: 'cli_worker' }).proof).toMatchObject({
      clientId: 'cli_worker',
    });
    const refused = (parameters: object, header?: string) => () =>
      tokenRequest(header, { ...signed, ...parameters });
    expect(refused({ client_secret: 's' })).toThrow(refusal('invalid_request'));
    expect(refused({}, basic('cli_worker:s'))).toThrow(refusal('invalid_request'));
    expect(refused({ client_assertion_type: 'urn:saml' })).toThrow(refusal('invalid_request'));
  });

  it('is refused by name for a parameter that cannot be stored', () => {
    for (const name of ['client_id', 'audience', 'resource', 'scope']) {
      expect(() => tokenRequest(undefined, { ...form, [name]: 'a\0' })).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          message: expect.stringContaining(name),
        }),
      );
    }
    expect(() => tokenRequest(basic('cli%00:s'), form)).toThrow(refusal('invalid_client'));
  });

  it('asks for every scope of the client when it names none', () => {
    const { scope: _, ...open } = form;
    expect(tokenRequest(basic('cli_worker:s'), open).scopes).toBeUndefined();
    expect(tokenRequest(basic('cli_worker:s'), { ...form, scope: '' }).scopes).toBeUndefined();
  });

  it('names the service in audience or in resource', () => {
    const { audience, ...rest } = form;
    expect(tokenRequest(basic('c:s'), { ...rest, resource: audience }).audience).toBe(audience);
    expect(() => tokenRequest(basic('c:s'), { ...form, resource: 'auth' })).toThrow(
      refusal('invalid_target'),
    );
    expect(() => tokenRequest(basic('c:s'), rest)).toThrow(refusal('invalid_request'));
  });

  it('is refused for another grant, for none, and for a parameter sent twice', () => {
    const refused = (parameters: object) => () => tokenRequest(basic('c:s'), parameters);
    expect(refused({ ...form, grant_type: 'password' })).toThrow(refusal('unsupported_grant_type'));
    expect(refused({ ...form, grant_type: '' })).toThrow(refusal('invalid_request'));
    expect(refused({ ...form, scope: ['a', 'b'] })).toThrow(refusal('invalid_request'));
  });

  it('is refused without credentials and with broken ones', () => {
    for (const header of [undefined, 'Bearer x', 'Basic ???', basic('no-colon'), basic('c:%zz')]) {
      expect(() => tokenRequest(header, form)).toThrow(refusal('invalid_client'));
    }
  });
});
