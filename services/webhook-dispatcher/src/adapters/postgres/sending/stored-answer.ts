/** What came back of an attempt. */
export interface Answer {
  /** Lines of `name: value`; empty: none came. */
  readonly headers: Buffer;
  /** The beginning of the body. */
  readonly sample: Buffer;
}

const EMPTY_LINE = Buffer.from('\n\n');

/** As one value, which is sealed once: a seal of its own for each costs more than what is in them. */
export const toStoredAnswer = ({ headers, sample }: Answer): Buffer =>
  Buffer.concat([headers, EMPTY_LINE, sample]);

export function fromStoredAnswer(bytes: Buffer): Answer {
  // The first, for no header line is empty.
  const end = bytes.indexOf(EMPTY_LINE);
  return { headers: bytes.subarray(0, end), sample: bytes.subarray(end + EMPTY_LINE.length) };
}

/** What it is bound to where it is sealed. */
export const answerPlace = (deliveryId: string, attempt: number): string =>
  `attempts/answer/${deliveryId}/${attempt}`;

/** A body and the answer to it, as one value that is sealed once. */
export const withAnswer = (body: Buffer, { headers, sample }: Answer): Buffer =>
  Buffer.concat([body, headers, EMPTY_LINE, sample]);

/** Of bytes that may have an answer behind the body: the body. */
export const bodyIn = (stored: Buffer, bodyBytes: number | null): Buffer =>
  bodyBytes === null ? stored : stored.subarray(0, bodyBytes);
