/**
 * Something on this machine keeps the stack from starting. The message is the whole story for the
 * reader: what is wrong and what to do. Programs print it without a stack and end with code 1.
 */
export class LocalStackError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
