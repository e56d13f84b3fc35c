import { describe, expect, it } from '@jest/globals';
import { requireS256 } from './server-metadata.js';

const server = (methods: readonly string[] | undefined) => ({
  issuer: 'https://provider.example',
  ...(methods && { code_challenge_methods_supported: [...methods] }),
});

describe('a provider', () => {
  it.each([[['S256']], [['plain', 'S256']], [undefined]])(
    'that does PKCE by %j is used',
    (ways) => {
      expect(requireS256(server(ways))).toEqual(server(ways));
    },
  );

  it.each([[['plain']], [[]]])('that does PKCE by %j alone is not', (ways) => {
    expect(() => requireS256(server(ways))).toThrow(
      expect.objectContaining({ failure: 'misconfigured', reason: 'no_pkce_s256' }),
    );
  });
});
