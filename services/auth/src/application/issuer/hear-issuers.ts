import type { Ports } from '../ports.js';

/**
 * Asks each trusted issuer for its keys, and keeps when it last gave them. One that was never asked before counts as
 * heard, so that an outage at that moment leaves its users the hour as well.
 */
export const hearIssuers =
  ({ trustedIssuers, issuerAnswers, now }: Ports) =>
  async (onSilent: (issuerId: string, error: unknown) => void): Promise<void> => {
    for (const [id, { ask }] of trustedIssuers) {
      const isThere = await ask().then(
        () => true,
        (error: unknown) => {
          onSilent(id, error);
          return false;
        },
      );
      await issuerAnswers.save(id, now(), isThere);
    }
  };
