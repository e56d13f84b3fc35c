/** Error of a subject whose key was destroyed: what the key sealed can never be read again, by design. */
export class ShreddedError extends Error {
  constructor(readonly subject: string) {
    super(`The key of ${subject} was destroyed, and with it everything it had sealed.`);
    this.name = new.target.name;
  }
}

export type VaultErrorCode =
  | 'unknown_key' // sealed under a key that the ring does not hold
  | 'no_data_key' // sealed for a subject whose row in data_keys is missing
  | 'not_sealed' // no sealed text at all
  | 'unreadable'; // changed, cut, or sealed for another subject or place

/** Error of a sealed value that does not open. Never the caller's fault: a row was changed or a key is missing. */
export class VaultError extends Error {
  constructor(
    readonly code: VaultErrorCode,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}
