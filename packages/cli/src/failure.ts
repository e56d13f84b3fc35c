/** What the process ends with: 0 done, 1 refused or failed, 2 asked wrongly. */
export const EXIT = { failed: 1, usage: 2 } as const;

/** Why a command did not do what it was asked, in words for whoever typed it. */
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
