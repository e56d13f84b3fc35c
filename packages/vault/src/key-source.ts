import { execFile } from 'node:child_process';
import { AppError } from '@junction/errors';
import { type KeyRing, keyRing } from './key-ring.js';

/**
 * Where the text of a key ring comes from, asked once when a service starts. Whatever else can unseal a ring,
 * a client of a key management service for instance, is one more of these.
 */
export type KeySource = () => Promise<string>;

const COMMAND = 'exec:';
const COMMAND_MS = 30_000;
const BYTES_MAX = 16_384;

/** Opens the ring that comes from there. Throws AppError `invalid_key_ring`. */
export const openKeyRing = async (source: KeySource): Promise<KeyRing> => keyRing(await source());

/**
 * What VAULT_KEYS says: the ring itself, or `exec:["program", "argument", …]`, which prints it. Throws AppError
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
 * The program is run without a shell, with the environment of the service, and has half a minute. One line
 * break at the end of what it prints is not the ring's.
 */
function printedBy([program = '', ...args]: readonly string[]): KeySource {
  return async () =>
    new Promise((resolve, reject) => {
      const limits = { timeout: COMMAND_MS, maxBuffer: BYTES_MAX };
      execFile(program, args, limits, (error, printed) => {
        // Its message would quote what the program printed.
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
