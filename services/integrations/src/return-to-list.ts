import { list } from '@junction/service/process';
import { z } from 'zod';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Parameters that the callback page adds. */
const ADDED = ['code', 'state', 'iss', 'error', 'error_description'];

/**
 * Schema of CONNECT_RETURN_TO: the addresses that a provider's answer may be forwarded to, each written as clients will
 * name it. A server at such an address sees codes, so the address is https, or a program on the user's own machine (RFC
 * 8252, section 7.3); a fragment or a user could make it look like another address.
 */
export const returnToList = list
  .pipe(
    z.array(z.string()).superRefine((entries, { addIssue }) => {
      for (const [at, entry] of entries.entries()) {
        const wrong = mistakeIn(entry);
        if (wrong) addIssue({ code: 'custom', message: `entry ${at + 1} ${wrong}` });
      }
    }),
  )
  .optional()
  .transform((entries): ReadonlySet<string> => new Set(entries));

function mistakeIn(entry: string): string | undefined {
  if (!/^https?:\/\//.test(entry) || !URL.canParse(entry)) return 'is no https:// URL';
  const { protocol, hostname, username, password, searchParams } = new URL(entry);
  if (protocol === 'http:' && !LOOPBACK.test(hostname)) {
    return 'must be https:// (http:// is for localhost alone)';
  }
  if (username || password) return 'must not name a user';
  if (entry.includes('#')) return 'must not have a fragment (#)';
  const taken = ADDED.find((name) => searchParams.has(name));
  return taken && `must not have the parameter "${taken}", which the answer brings`;
}
