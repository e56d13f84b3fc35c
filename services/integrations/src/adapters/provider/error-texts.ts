import { formIn, objectIn } from './answer-text.js';

/** Deep enough for {"error": {"errors": [{"code": "…"}]}}. */
const DEPTH_MAX = 4;
const TEXTS_MAX = 100;
/** A page is no sentence, however short: a firewall's may speak of tokens. */
const SENTENCE_CHARS_MAX = 1_000;
const PAGE = /^</;
const AADSTS = /\bAADSTS\d+\b/gi;
/** RFC 6750, section 3: the error stands in the challenge, with or without quotes. */
const CHALLENGED_ERROR = /\berror(?:_description)?\s*=\s*(?:"([^"]*)"|([^\s,"]+))/gi;
/** Schemes by which an access token is shown. A challenge for another one is for the client's credentials. */
const TOKEN_SCHEME = /^\s*(bearer|dpop)\b/i;

/**
 * Returns the words and sentences in which an endpoint refuses: in JSON of any content type and shape, in a form,
 * in a short text or in a challenge. The texts must neither be logged nor kept.
 */
export function errorTexts({ status, headers }: Response, body: string): readonly string[] {
  const texts = [...bodyTexts(body), ...challengeTexts(status, headers.get('www-authenticate'))]
    .filter((text) => text.length <= SENTENCE_CHARS_MAX && !PAGE.test(text))
    .slice(0, TEXTS_MAX);
  return [...texts, ...texts.flatMap((text) => text.match(AADSTS) ?? [])];
}

/** Tells whether a body names an error and brings no token: some providers refuse with status 200. */
export function isError(body: string): boolean {
  const fields = objectIn(body) ?? formIn(body) ?? {};
  const hasToken = Boolean(fields['access_token'] || fields['refresh_token']);
  return !hasToken && Boolean(fields['error'] || fields['errors']);
}

function bodyTexts(body: string): readonly string[] {
  const fields = objectIn(body) ?? formIn(body);
  return fields === undefined ? [body.trim()] : [...textsIn(fields, DEPTH_MAX)];
}

function* textsIn(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string') yield value.trim();
  if (typeof value !== 'object' || value === null || depth === 0) return;
  for (const [field, inner] of Object.entries(value)) {
    // Microsoft lists the numbers by themselves, too.
    if (field === 'error_codes' && Array.isArray(inner)) {
      yield* inner.map((code) => `AADSTS${code}`);
    } else yield* textsIn(inner, depth - 1);
  }
}

/**
 * Returns the texts of a challenge. RFC 6749, section 5.2: a client whose authentication failed is challenged with the
 * scheme that it may use.
 */
function challengeTexts(status: number, challenge: string | null): readonly string[] {
  if (challenge === null) return [];
  const said = [...challenge.matchAll(CHALLENGED_ERROR)].map(([, quoted, bare]) => quoted ?? bare);
  const texts = said.filter((text) => text !== undefined);
  const isAboutClient = status === 401 && texts.length === 0 && !TOKEN_SCHEME.test(challenge);
  return isAboutClient ? ['invalid_client'] : texts;
}
