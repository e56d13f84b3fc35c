import { describe, expect, it } from '@jest/globals';
import { authMethodFor, clientAuthentication, NoAuthMethod } from './client-authentication.js';

const SERVER = { issuer: 'https://provider.example' };

describe('Basic credentials', () => {
  it('leave as it is what needs no escape, so that a server which compares them as they come knows them', async () => {
    expect(await basicOf('c-app.1', 'Secr-et_1.2~3*')).toBe('c-app.1:Secr-et_1.2~3*');
  });

  it.each(['!"#$%&\'()+,/:;<=>?@[]^`{|}', 'two words', 'ä€𝄞', '%2D'])(
    'escape %j as a form does',
    async (text) => {
      const [id = '', secret = ''] = (await basicOf(text, text)).split(':');
      expect(id).toMatch(/^[\w.~*%+-]+$/);
      // A form is decoded so (WHATWG URL, urlencoded parsing).
      expect([...new URLSearchParams(`${id}=${secret}`)]).toEqual([[text, text]]);
    },
  );
});

describe('the method of a client with a secret alone', () => {
  const credentials = { clientSecret: 's', clientKey: undefined, authMethod: undefined };

  it.each([
    [undefined, 'client_secret_basic'],
    [[], 'client_secret_basic'],
    [['client_secret_jwt', 'client_secret_basic'], 'client_secret_basic'],
  ])('at a provider that lists %j is %s', (listed, method) => {
    expect(authMethodFor(credentials, listed)).toBe(method);
  });

  it.each([
    [['client_secret_jwt']],
    [['tls_client_auth', 'self_signed_tls_client_auth']],
    [['private_key_jwt']],
    [['none']],
  ])('is none at a provider that lists %j alone, which is refused by name', (listed) => {
    const choose = () => authMethodFor(credentials, listed);
    expect(choose).toThrow(NoAuthMethod);
    expect(choose).toThrow(`The provider lists ${listed.join(', ')} as`);
    // The settings know better than a description how a client is registered.
    const authMethod = 'client_secret_post';
    expect(authMethodFor({ ...credentials, authMethod }, listed)).toBe(authMethod);
  });
});

/** Returns the credentials that are sent for this client, without their base64. */
async function basicOf(clientId: string, clientSecret: string): Promise<string> {
  const credentials = { clientId, clientSecret, clientKey: undefined, authMethod: undefined };
  const headers = new Headers();
  const prove = await clientAuthentication(credentials, undefined);
  prove(SERVER, { client_id: clientId }, new URLSearchParams(), headers);
  const [, base64 = ''] = headers.get('authorization')?.split(' ') ?? [];
  return Buffer.from(base64, 'base64').toString();
}
