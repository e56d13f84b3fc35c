import { isIP } from 'node:net';
import { urlOf } from '../../domain/webhook/href.js';
import { isForbiddenAddress } from './forbidden-address.js';
import { EgressRefusedError } from './guarded-lookup.js';

/** The reason why a url cannot be a target: a stable code, and what to do about it. */
export interface TargetProblem {
  readonly code: string;
  readonly message: string;
}

export interface TargetRules {
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS: http, any port, addresses, and names without a public meaning. */
  readonly allowPrivateTargets: boolean;
}

/** The index over (user_id, href) holds it whole, and an index row has an upper bound. */
const HREF_BYTES_MAX = 2_048;
/**
 * Characters that a url never holds unescaped. The parser drops some of them, turns some into others and escapes the
 * rest, so the url that is shown would not be the url that is called.
 */
const UNWRITTEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u;

/** http: and https: with another number of slashes than two, which the parser would put right without a word. */
const MALFORMED = /^https?:(?!\/\/[^/])/i;

/** The text behind scheme and host: path and query, or nothing. */
const BEHIND_HOST = /^https?:\/\/[^/?#]+(.*)/i;

/** RFC 1035, section 2.3.4, as text and without the dot at the end. */
const NAME_CHARACTERS_MAX = 253;
const LABEL = /^[a-z0-9_-]{1,63}$/;

/**
 * Ports on which other protocols listen: the "bad ports" of the Fetch standard (section 2.9). A request there could
 * only probe a server that has no receiver, or be taken for something else by it.
 */
const FORBIDDEN_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10_080,
]);

/**
 * Names that never mean a host on the public internet: RFC 6761 and its registry, ICANN's .internal
 * and the three it will never delegate, what home and office routers hand out, and the services of a
 * Kubernetes cluster. Documentation names are not among them: RFC 6761 asks applications to treat
 * those like any other.
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
  'mail',
  'onion',
  'private',
  'svc',
  'test',
]);

/** Returns the problem that the text of a url has, or undefined. The host is not resolved. */
export function targetProblem(
  text: string,
  { allowPrivateTargets }: TargetRules,
): TargetProblem | undefined {
  if (UNWRITTEN.test(text)) {
    const message = 'must not contain blanks, control characters, invisible ones or backslashes.';
    return problem('url_invalid', message);
  }
  const url = MALFORMED.test(text) ? undefined : urlOf(text);
  if (url === undefined) return problem('url_invalid', 'must be an absolute https:// URL.');
  const schemes = allowPrivateTargets ? ['https:', 'http:'] : ['https:'];

  if (!schemes.includes(url.protocol)) return problem('url_not_https', 'must begin with https://.');
  if (url.username !== '' || url.password !== '') {
    return problem('url_has_credentials', 'must not contain a user name or password.');
  }
  // An empty one too: only the href still shows it.
  if (url.href.includes('#')) {
    return problem('url_has_fragment', 'must not contain a fragment: no receiver would see it.');
  }
  if (Math.max(Buffer.byteLength(text), url.href.length) > HREF_BYTES_MAX) {
    return problem('url_too_long', `must have at most ${HREF_BYTES_MAX} bytes.`);
  }
  if (url.port === '0') {
    return problem('url_port_refused', 'must not have port 0: nothing can listen there.');
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const hostProblem =
    nameProblem(host) ?? (allowPrivateTargets ? undefined : reachProblem(host, url.port));
  return hostProblem ?? writingProblem(text, url);
}

/** The parser takes dot segments out and escapes characters. What it does to scheme and host changes nothing. */
function writingProblem(text: string, url: URL): TargetProblem | undefined {
  const [, written = ''] = BEHIND_HOST.exec(text) ?? [];
  if (requestTarget(url) === (written.startsWith('/') ? written : `/${written}`)) return undefined;
  const message =
    'must be written as it is called: without . and .. as parts of the path, and with characters such as { and ü escaped.';
  return problem('url_invalid', message);
}

/**
 * Returns the target of a request for the url: path and query, with a question mark that nothing follows (RFC 9112,
 * section 3.2.1).
 */
export const requestTarget = ({ href, origin }: URL): string => href.slice(origin.length);

function nameProblem(host: string): TargetProblem | undefined {
  if (isIP(host) !== 0) return undefined;
  const isName =
    host.length <= NAME_CHARACTERS_MAX && host.split('.').every((label) => LABEL.test(label));
  const message = `must name a host in at most ${NAME_CHARACTERS_MAX} characters, with 1 to 63 between dots.`;
  return isName ? undefined : problem('url_invalid', message);
}

function reachProblem(host: string, port: string): TargetProblem | undefined {
  if (isForbiddenPort(port)) {
    return problem('url_port_refused', 'must not use a port that belongs to another protocol.');
  }
  if (isIP(host) !== 0) {
    return isForbiddenAddress(host)
      ? problem('url_private_address', 'must not point to a private or otherwise special address.')
      : problem('url_is_address', 'must name a host, not an address.');
  }

  const labels = host.split('.');
  if (labels.length < 2 || SPECIAL_USE.has(labels.at(-1) ?? '')) {
    return problem('url_private_host', 'must name a host on the public internet.');
  }
  return undefined;
}

const problem = (code: string, message: string): TargetProblem => ({ code, message });

/** @param port as `URL.port` gives it: empty for the default of the scheme */
const isForbiddenPort = (port: string): boolean => port !== '' && FORBIDDEN_PORTS.has(Number(port));

/** The destination of a request. */
export interface Endpoint {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

/**
 * Checks a url and takes it apart. Throws EgressRefusedError; the rules may be stricter than when the url was
 * configured.
 */
export function endpointOf(url: string, rules: TargetRules): Endpoint {
  const problem = targetProblem(url, rules);
  if (problem) throw new EgressRefusedError(problem.code, problem.message);
  const parsed = new URL(url);
  return { origin: parsed.origin, path: requestTarget(parsed) };
}
