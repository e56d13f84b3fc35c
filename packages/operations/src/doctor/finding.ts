import { isNativeError } from 'node:util/types';
import { tlsInWords } from '@junction/errors';

/** Finding of a check: what the check looked at, what it found, and how to mend that. */
export interface Finding {
  /** Name of the check in a few words: `database`, `topics`, … */
  readonly check: string;
  /** Severity. `warning`: the service works, but something is lost, was not seen, or may not last. */
  readonly state: 'ok' | 'warning' | 'problem';
  /** A sentence. No secret, and no address of a person. */
  readonly found: string;
  /** A sentence; empty when all is well. */
  readonly remedy: string;
}

/** Check of one thing. A check that throws has found a problem. */
export interface Check {
  /** Name that no other check of the service has. */
  readonly name: string;
  /** Names of earlier checks. While one throws, this one would find the same problem again, and is left out. */
  readonly needs?: readonly string[];
  /** Remedy for the problem that is reported when the check throws. */
  readonly remedy: string;
  /** Runs the check. */
  readonly look: () => Promise<Look>;
}

/** Result of a check: a few words that say that all is well, or the complaints. */
export type Look = string | readonly Complaint[];

export interface Complaint {
  readonly state: 'warning' | 'problem';
  readonly found: string;
  readonly remedy: string;
}

/** Reason why a check throws, with a remedy better than that of the check. */
export class CheckError extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

export const problem = (found: string, remedy: string): Complaint => ({
  state: 'problem',
  found,
  remedy,
});

export const warning = (found: string, remedy: string): Complaint => ({
  state: 'warning',
  found,
  remedy,
});

interface Told {
  readonly code?: string;
  readonly errors?: readonly unknown[];
  readonly broker?: string;
}

/** Returns the message of an error with that of its cause. */
export function wordsOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const { code = error.name, errors, broker } = error as Told;
  const said = tlsInWords(error.message) || code;
  // A timeout of kafkajs has the address beside its message.
  const own = broker === undefined || said.includes(broker) ? said : `${said}: ${broker}`;
  const nested = errors?.[0] ?? error.cause;
  const cause = nested === undefined ? '' : wordsOf(nested);
  return cause === '' || own.includes(cause) ? own : `${own} (${cause})`;
}
