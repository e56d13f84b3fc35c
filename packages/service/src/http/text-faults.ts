import { isUtf8 } from 'node:buffer';
import { isStorable } from '@junction/contracts';
import { AppError, type FieldError } from '@junction/errors';

const FIELDS_MAX = 50;

/**
 * Refuses texts that would not come back as they were stored. AppError `unstorable_text` names each such text of an
 * input, and each member with such a name. The input is no deeper than a body may be.
 */
export function refuseUnstorable(input: unknown): void {
  const faults = textsIn(input, []).filter(({ text }) => !isStorable(text));
  if (faults.length === 0) return;
  refuse(
    'unstorable_text',
    faults.map(({ path, text }) => ({
      field: fieldAt(path),
      code: 'unstorable_text',
      message: text.includes('\0')
        ? 'The character NUL (U+0000) cannot be stored. Leave it out.'
        : 'Half of a surrogate pair (U+D800 to U+DFFF) is no character. Send the pair, or leave it out.',
    })),
  );
}

/**
 * Refuses a query with parameters whose percent-encoding is no UTF-8: the parser would read U+FFFD, another text than
 * was sent. AppError `invalid_request` names each such parameter.
 */
export function refuseMisencoded(query: string): void {
  const faults = query.split('&').filter((pair) => !isUtf8(bytesOf(pair)));
  if (faults.length === 0) return;
  refuse(
    'invalid_request',
    faults.map((pair) => ({
      field: fieldAt([pair.split('=', 1)[0] ?? '']),
      code: 'invalid_encoding',
      message: 'The percent-encoded bytes are no UTF-8.',
    })),
  );
}

/**
 * Returns the name of a field from its path. The caller chose the names and gets them back, so each is cut to a length.
 */
export const fieldAt = (path: readonly PropertyKey[]): string =>
  path.map((key) => clip(String(key))).join('.') || 'body';

export const clip = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

interface PlacedText {
  readonly path: readonly string[];
  readonly text: string;
}

function textsIn(value: unknown, path: readonly string[]): readonly PlacedText[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const inside = [...path, name];
    return [{ path: inside, text: name }, ...textsIn(inner, inside)];
  });
}

const bytesOf = (encoded: string): Buffer =>
  Buffer.from(
    encoded.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  );

function refuse(code: 'unstorable_text' | 'invalid_request', all: readonly FieldError[]): never {
  throw notValid(all, code);
}

/** Makes the refusal of a request, with a sentence for each field that is wrong. */
export function notValid(
  all: readonly FieldError[],
  code: 'unstorable_text' | 'invalid_request' = 'invalid_request',
): AppError {
  const fields = all.slice(0, FIELDS_MAX);
  return new AppError(code, `The request is not valid. ${fields.map(sentence).join(' ')}`, {
    fields,
  });
}

/** A message in small letters reads on from the name of the field. */
const sentence = ({ field, message }: FieldError): string =>
  `${field}${/^\p{Lu}/u.test(message) ? ':' : ''} ${message.replace(/\.?$/, '.')}`;
