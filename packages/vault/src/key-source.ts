import { execFile } from 'node:child_process';
import { AppError } from '@junction/errors';
import { type KeyRing, keyRing } from './key-ring.js';

/**
 * Source of the text of a key ring, read once when a service starts. Any other way to unseal a ring, a client of a key
 * management service for instance, is one more source.
 */
export type KeySource = () => Promise<string>;

const COMMAND = 'exec:';
const COMMAND_MS = 30_000;
const BYTES_MAX = 16_384;

/** Opens the ring of this source. Throws AppError `invalid_key_ring`. */
export const openKeyRing = async (source: KeySource): Promise<KeyRing> => keyRing(await source());

/**
 * Parses VAULT_KEYS: the ring itself, or `exec:["program", "argument", …]`, which prints it. Throws AppError
 * `invalid_key_ring`, which never holds a character of the text: any of it may be a key.
 */
export function keySource(text: string): KeySource {
  if (!text.startsWith(`${COMMAND}[`)) return async () => text;
  return printedBy(commandIn(text.slice(COMMAND.length)));
}

function commandIn(json: string): readonly string[] {
  try {
    const command: unknown = JSON.parse(json);
    const isCommand = Array.isArray(command) && command.every((word) => typeof word === 'string');
    if (isCommand && command[0]) return command;
  } catch {
    // The parser's own message would quote the text.
  }
  throw unusable('does not read exec:["program", "argument", …]');
}

/**
 * Runs the program without a shell, with the environment of the service, for at most half a minute. One line break at
 * the end of its output does not belong to the ring.
 */
function printedBy([program = '', ...args]: readonly string[]): KeySource {
  return async () =>
    new Promise((resolve, reject) => {
      const limits = { timeout: COMMAND_MS, maxBuffer: BYTES_MAX };
      execFile(program, args, limits, (error, printed) => {
        // The error's message would quote what the program printed.
        if (error) reject(unusable(`names a program that ${endOf(error)}`));
        else resolve(printed.replace(/\r?\n$/, ''));
      });
    });
}

function endOf(error: { readonly code?: unknown; readonly signal?: unknown }): string {
  if (typeof error.code === 'number') return `ended with ${error.code}`;
  return typeof error.code === 'string'
    ? `failed (${error.code})`
    : `was ended by ${String(error.signal)}`;
}

const unusable = (mistake: string) =>
  new AppError(
    'invalid_key_ring',
    `There is no key ring: VAULT_KEYS ${mistake}. It must print the ring within 30 s and end with 0.`,
  );
