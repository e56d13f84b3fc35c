import { describe, expect, it } from '@jest/globals';
import { requireUsable } from './server-metadata.js';

const server = (methods: readonly string[] | undefined) => ({
  issuer: 'https://provider.example',
  authorization_endpoint: 'https://provider.example/auth',
  token_endpoint: 'https://provider.example/token',
  jwks_uri: 'https://provider.example/jwks',
  ...(methods && { code_challenge_methods_supported: [...methods] }),
});

const CAN = { algorithms: ['RS256'], isHttpAllowed: false };

describe('a provider', () => {
  it.each([[['S256']], [['plain', 'S256']], [undefined]])(
    'that does PKCE by %j is used',
    (ways) => {
      expect(requireUsable(server(ways), CAN)).toEqual(server(ways));
    },
  );

  it.each([[['plain']], [[]]])('that does PKCE by %j alone is not', (ways) => {
    expect(() => requireUsable(server(ways), CAN)).toThrow(
      expect.objectContaining({ failure: 'misconfigured', reason: 'no_pkce_s256' }),
    );
  });

  it.each([
    ['is used', ['none', 'ES256K', 'RS256']],
    ['is used', undefined],
    ['is not', ['none', 'ES256K']],
    ['is not', []],
  ])('%s that promises id_tokens by %j', (used, algorithms) => {
    const described = {
      ...server(undefined),
      ...(algorithms && { id_token_signing_alg_values_supported: algorithms }),
    };
    const use = () => requireUsable(described, CAN);
    if (used === 'is used') expect(use()).toEqual(described);
    else expect(use).toThrow(expect.objectContaining({ reason: 'unsupported_id_token_alg' }));
  });

  it.each([
    ['authorization_endpoint', undefined],
    ['token_endpoint', '/token'],
    ['jwks_uri', 'http://provider.example/jwks'],
  ])('is not taken when its %s is %s', (name, url) => {
    const described = { ...server(undefined), [name]: url };
    expect(() => requireUsable(described, CAN)).toThrow(
      expect.objectContaining({ failure: 'unavailable', reason: `no_${name}` }),
    );
  });
});
