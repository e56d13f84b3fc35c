import { isIP } from 'node:net';
import { isForbiddenAddress } from './forbidden-address.js';

/** Why a url cannot be a target: a stable code, and what to do about it. */
export interface TargetProblem {
  readonly code: string;
  readonly message: string;
}

export interface TargetRules {
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS: http, private addresses and names without a public meaning. */
  readonly allowPrivate: boolean;
}

/** The index over (user_id, href) holds it whole, and an index row has an upper bound. */
const HREF_BYTES_MAX = 2_048;
const CONTROL = /\p{Cc}/u;

/**
 * Names that never mean a host on the public internet: RFC 6761 and its registry, ICANN's .internal,
 * and what home and office routers hand out. Documentation names are not among them: RFC 6761 asks
 * applications to treat those like any other.
 */
const SPECIAL_USE = new Set([
  'alt',
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'test',
]);

/** What is wrong with a url by its looks; nothing is resolved. undefined: nothing. */
export function targetProblem(
  text: string,
  { allowPrivate }: TargetRules,
): TargetProblem | undefined {
  // The parser drops some of these and escapes others, so what is shown would not be what is called.
  if (CONTROL.test(text)) return problem('url_invalid', 'must not contain control characters.');
  if (!URL.canParse(text)) return problem('url_invalid', 'must be an absolute https:// URL.');
  const url = new URL(text);
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];

  if (!schemes.includes(url.protocol)) return problem('url_not_https', 'must begin with https://.');
  if (url.username !== '' || url.password !== '') {
    return problem('url_has_credentials', 'must not contain a user name or password.');
  }
  if (Math.max(text.length, url.href.length) > HREF_BYTES_MAX) {
    return problem('url_too_long', `must have at most ${HREF_BYTES_MAX} characters.`);
  }
  return allowPrivate ? undefined : hostProblem(url.hostname);
}

function hostProblem(hostname: string): TargetProblem | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isIP(host) !== 0) {
    const message = 'must not point to a private, local or otherwise special address.';
    return isForbiddenAddress(host) ? problem('url_private_address', message) : undefined;
  }

  const labels = host.split('.');
  if (labels.length < 2 || SPECIAL_USE.has(labels.at(-1) ?? '')) {
    return problem('url_private_host', 'must name a host on the public internet.');
  }
  return undefined;
}

const problem = (code: string, message: string): TargetProblem => ({ code, message });
