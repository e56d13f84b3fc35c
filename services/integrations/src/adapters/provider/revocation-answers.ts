import type { ProviderError } from '../../application/provider-error.js';

/**
 * `revoked`: the token has ended. `unsupported`: tokens of this kind are not revoked here, so it stands. `no_endpoint`:
 * nobody revokes at this address, at least not now. `again`: it was not carried out, and may be later.
 */
export type RevocationMeaning = 'revoked' | 'unsupported' | 'no_endpoint' | 'again';

/**
 * Meaning of the answers that refuse a revocation (RFC 7009, section 2.2.1), by the reason under which the words of an
 * answer are known, or by its status. The first line that fits counts. An answer with any 2xx has revoked, whatever its
 * body says (RFC 7009, section 2.2, names 200; RFC 9110, section 15.3).
 */
export const REVOCATION_REFUSALS: readonly (readonly [
  says: string | readonly [fromStatus: number, toStatus: number],
  means: RevocationMeaning,
  why: string,
])[] = [
  ['invalid_grant', 'revoked', 'The token was unknown, or had ended before.'],
  ['unsupported_token_type', 'unsupported', 'RFC 7009, section 2.2.1'],
  [
    [300, 399],
    'again',
    'Tokens are not sent elsewhere, and a proxy that leads to a page may pass.',
  ],
  [[404, 405], 'no_endpoint', 'Nothing is there, or nothing that takes POST.'],
  [[410, 410], 'no_endpoint', 'RFC 9110, section 15.5.11: it is gone for good.'],
  [[501, 501], 'no_endpoint', 'RFC 9110, section 15.6.2: the server lacks what it needs for this.'],
  [
    [400, 599],
    'again',
    'Our client is refused, a firewall stands before it, or it is busy or failing.',
  ],
];

/** Returns the meaning of a failed revocation. */
export function revocationMeaning({
  reason,
  httpStatus = 0,
}: Pick<ProviderError, 'reason' | 'httpStatus'>): RevocationMeaning {
  const line = REVOCATION_REFUSALS.find(([says]) =>
    typeof says === 'string' ? says === reason : says[0] <= httpStatus && httpStatus <= says[1],
  );
  return line?.[1] ?? 'again';
}
