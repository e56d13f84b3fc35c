export const CUSTOM_HEADERS_MAX = 20;
export const HEADER_VALUE_MAX = 1_024;
export const HEADERS_BYTES_MAX = 4_096;
const NAME_MAX = 64;

/** Mask that answers show instead of a value. */
export const MASKED = '********';

/** Headers that a webhook adds to its requests, by name. Their values may be credentials. */
export type CustomHeaders = Readonly<Record<string, string>>;

export interface HeaderProblem {
  /** Name of the header; absent: the problem is about all headers together. */
  readonly name?: string;
  readonly code: string;
  readonly message: string;
}

/** Token: RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Value that every receiver reads alike: RFC 9110, section 5.5, without obs-text. */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

const RESERVED: readonly (readonly [RegExp, string])[] = [
  [
    /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings)$/,
    'is for one connection only',
  ],
  [/^proxy-/, 'is for one connection only'],
  [/^(host|expect|date|via|forwarded|user-agent|accept-encoding)$/, 'is set by us'],
  [/^(content-|x-forwarded-)/, 'is set by us'],
  [/^(webhook-|x-junction-)/, 'is kept for what we say of the delivery'],
  [/^x-service-signature$/, 'is our signature'],
  [/^__proto__$/, 'is no field of an object in many languages'],
];

/**
 * Returns the first problem that keeps these headers from being sent as they are; undefined: they are `CustomHeaders`.
 */
export function headersProblem(headers: unknown): HeaderProblem | undefined {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    return { code: 'invalid_type', message: 'must be an object of names and values.' };
  }
  const entries: readonly (readonly [string, unknown])[] = Object.entries(headers);
  if (entries.length > CUSTOM_HEADERS_MAX) {
    return { code: 'too_big', message: `may be at most ${CUSTOM_HEADERS_MAX}.` };
  }
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    const problem = seen.has(lower) ? twice : (nameProblem(lower) ?? valueProblem(value));
    if (problem !== undefined) return { name: name.slice(0, NAME_MAX), ...problem };
    seen.add(lower);
    bytes += name.length + String(value).length;
  }
  if (bytes <= HEADERS_BYTES_MAX) return undefined;
  const message = `may have at most ${HEADERS_BYTES_MAX} bytes, names and values together.`;
  return { code: 'too_big', message };
}

const twice = { code: 'header_twice', message: 'is there twice: case makes no difference.' };

function nameProblem(lower: string): Omit<HeaderProblem, 'name'> | undefined {
  if (!TOKEN.test(lower) || lower.length > NAME_MAX) {
    const message = `is no name of a header: 1 to ${NAME_MAX} letters, digits or - _ and the like.`;
    return { code: 'header_name_invalid', message };
  }
  const reason = RESERVED.find(([pattern]) => pattern.test(lower))?.[1];
  if (reason === undefined) return undefined;
  return { code: 'header_forbidden', message: `cannot be set: it ${reason}.` };
}

function valueProblem(value: unknown): Omit<HeaderProblem, 'name'> | undefined {
  if (typeof value !== 'string') return { code: 'invalid_type', message: 'must be a text.' };
  if (value === MASKED) {
    const message = 'is the mask that answers show instead of the value: send the value.';
    return { code: 'header_value_masked', message };
  }
  if (VALUE.test(value) && value.length <= HEADER_VALUE_MAX) return undefined;
  const message = `must be 1 to ${HEADER_VALUE_MAX} visible ASCII characters, with blanks only between them.`;
  return { code: 'header_value_invalid', message };
}
