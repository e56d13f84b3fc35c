/** The response to an attempt. */
export interface Answer {
  /** Lines of `name: value`; empty: none came. */
  readonly headers: Buffer;
  /** The beginning of the body. */
  readonly sample: Buffer;
}

const EMPTY_LINE = Buffer.from('\n\n');

/**
 * Joins headers and sample into one value, which is sealed once: a seal of its own for each costs more than their
 * bytes.
 */
export const toStoredAnswer = ({ headers, sample }: Answer): Buffer =>
  Buffer.concat([headers, EMPTY_LINE, sample]);

export function fromStoredAnswer(bytes: Buffer): Answer {
  // The first, for no header line is empty.
  const end = bytes.indexOf(EMPTY_LINE);
  return { headers: bytes.subarray(0, end), sample: bytes.subarray(end + EMPTY_LINE.length) };
}

/** Returns the context that the sealed answer to an attempt is bound to. */
export const answerPlace = (deliveryId: string, attempt: number): string =>
  `attempts/answer/${deliveryId}/${attempt}`;

/** Joins a body and the answer to it into one value that is sealed once. */
export const withAnswer = (body: Buffer, { headers, sample }: Answer): Buffer =>
  Buffer.concat([body, headers, EMPTY_LINE, sample]);

/** Returns the body from bytes that may have an answer behind it. */
export const bodyIn = (stored: Buffer, bodyBytes: number | null): Buffer =>
  bodyBytes === null ? stored : stored.subarray(0, bodyBytes);

/** Size of the body of a row of deliveries; of one without an answer behind it, as it is sealed. */
export const BODY_BYTES = 'coalesce(body_bytes, octet_length(body))';

export const bodyPlace = (deliveryId: string): string => `deliveries/body/${deliveryId}`;
