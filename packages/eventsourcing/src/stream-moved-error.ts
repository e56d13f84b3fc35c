/** A stream was not as the append expected it. Nothing was stored. */
export class StreamMovedError extends Error {
  constructor(
    /** Each such stream and the version it is at; 0 is a stream that does not exist. */
    readonly actual: Readonly<Record<string, number>>,
    options?: ErrorOptions,
  ) {
    const found = Object.entries(actual).map(([id, version]) => `${id} is at version ${version}`);
    super(`The expected version was wrong: ${found.join(', ')}. Load and decide again.`, options);
    this.name = new.target.name;
  }
}
