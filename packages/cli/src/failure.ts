/** Exit codes beside 0: 1 when the command was refused or failed, 2 when its arguments are wrong, 130 after Ctrl-C. */
export const EXIT = { failed: 1, usage: 2, interrupted: 130 } as const;

/** Reason why a command did not do its work, in words for the person who typed it. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A mistake in the command line or in the environment. */
export const usage = (message: string): Failure => new Failure(message, EXIT.usage);
