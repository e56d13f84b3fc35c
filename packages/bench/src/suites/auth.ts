import { startProduct } from '@junction/demo';
import { KEYS_EACH, measureCallers } from '../auth/callers.js';
import { measureLogins } from '../auth/logins.js';
import { newPeople, sender } from '../auth/people.js';
import { measureVerifying } from '../auth/verifying.js';
import { BUDGETS } from '../budgets.js';
import { withClosing } from '../closing.js';
import type { Figures, Suite } from '../suite.js';

const FULL = { people: 200, verifyingSeconds: 10, secondsPerRound: 4 };
const QUICK = { people: 20, verifyingSeconds: 1, secondsPerRound: 1 };

export const suite: Suite = {
  what: 'tokens, API keys, and other routes beside logins, on the whole product (3 minutes)',
  budgets: BUDGETS.auth,

  run: ({ env, quick, say, signal }) =>
    withClosing(async (open): Promise<Figures> => {
      const { people: count, verifyingSeconds, secondsPerRound } = quick ? QUICK : FULL;
      const product = await startProduct(env, {}, signal);
      open(() => product.stop());
      const { gateway, http } = product.endpoints;
      const send = sender(open);
      say(`${count} users register`);
      const people = await newPeople(send, http.auth, { count, keysEach: KEYS_EACH });
      say('tokens are checked');
      const verified = await measureVerifying({
        authUrl: http.auth,
        issuer: gateway,
        tokens: people.map(({ token }) => token),
        seconds: verifyingSeconds,
      });
      say('a route is asked with tokens and with API keys');
      const url = `${http.integrations}/api/integrations`;
      const called = await measureCallers({ send, url, people, signal });
      say('routes are asked beside logins');
      const urls = [`${http.auth}/api/auth/me`, url, `${http.webhooks}/api/webhooks`];
      const options = { send, authUrl: http.auth, urls, people, secondsPerRound, signal };
      return { ...verified, ...called, ...(await measureLogins(options)) };
    }),
};
