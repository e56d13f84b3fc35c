/** Error of an append that found a stream at another version than expected. Nothing was stored. */
export class StreamMovedError extends Error {
  constructor(
    /** Actual version of each such stream; 0: the stream does not exist. */
    readonly actual: Readonly<Record<string, number>>,
    options?: ErrorOptions,
  ) {
    const found = Object.entries(actual).map(([id, version]) => `${id} is at version ${version}`);
    super(`The expected version was wrong: ${found.join(', ')}. Load and decide again.`, options);
    this.name = new.target.name;
  }
}
