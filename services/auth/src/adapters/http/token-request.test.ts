import { describe, expect, it } from '@jest/globals';
import { tokenRequest } from './token-request.js';

const form = { grant_type: 'client_credentials', audience: 'integrations', scope: 'tokens:read' };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const refusal = (code: string) => expect.objectContaining({ code });

describe('a token request', () => {
  it('may authenticate its client by HTTP Basic, form-encoded first', () => {
    expect(tokenRequest(basic('cli_worker:a%3Ab%2Bc+d'), form)).toEqual({
      clientId: 'cli_worker',
      clientSecret: 'a:b+c d',
      audience: 'integrations',
      scopes: ['tokens:read'],
    });
  });

  it('may carry the credentials in the form instead, and then in the form alone', () => {
    const filled = { ...form, client_id: 'cli_worker', client_secret: 's3cret' };
    expect(tokenRequest(undefined, filled)).toMatchObject({ clientSecret: 's3cret' });
    expect(() => tokenRequest(basic('cli_worker:s3cret'), filled)).toThrow(
      refusal('invalid_request'),
    );
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
