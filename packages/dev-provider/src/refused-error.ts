/** A request we don't carry out. The message is for whoever sent it. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'RefusedError';
  }
}
