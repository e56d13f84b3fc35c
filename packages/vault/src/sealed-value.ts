/** A sealed value as stored in JSON. The subject is beside it, so that its key can be found. */
export interface SealedValue {
  readonly subject: string;
  /** Base64. */
  readonly sealed: string;
}

export const isSealed = (value: unknown): value is SealedValue =>
  typeof value === 'object' &&
  value !== null &&
  'subject' in value &&
  typeof value.subject === 'string' &&
  'sealed' in value &&
  typeof value.sealed === 'string';
