import type { PlatformConfig } from '@junction/service';
import { issuerKeys } from '@junction/service/callers';
import { outboundCalls } from '@junction/service/outbound';
import type { Logger } from '@junction/service/process';
import { type Check, problem, wordsOf } from './finding.js';

const REMEDY =
  'Check its issuer in TRUSTED_ISSUERS_FILE, to the letter as it names itself, that it runs, and that this machine may reach it, or HTTPS_PROXY where that is set: until then its users are refused.';

/** Checks that the issuers of TRUSTED_ISSUERS_FILE give the keys by which tokens of their users are verified. */
export const issuerCheck = (
  { trustedIssuers, proxies }: Pick<PlatformConfig, 'trustedIssuers' | 'proxies'>,
  log: Logger,
): Check => ({
  name: 'trusted issuers',
  remedy: REMEDY,
  async look() {
    if (trustedIssuers.length === 0) return 'None is named.';
    const { fetch, close } = outboundCalls(proxies);
    try {
      const judged = await Promise.all(
        trustedIssuers.map(async ({ id, issuer }) => {
          try {
            const keys = issuerKeys({ issuer, log, fetch });
            const count = await keys.with(async ({ keys }) => keys.length);
            return count === 0 ? [problem(`${id} (${issuer}) has no keys.`, REMEDY)] : [];
          } catch (error) {
            return [problem(`${id} (${issuer}) gives no keys: ${wordsOf(error)}`, REMEDY)];
          }
        }),
      );
      const complaints = judged.flat();
      if (complaints.length > 0) return complaints;
      return `${trustedIssuers.map(({ id }) => id).join(', ')}: each gives its keys.`;
    } finally {
      await close();
    }
  },
});
