import { InvalidArgumentError } from 'commander';
import { isHttpUrl } from './settings.js';

/** Parsers of options; what they throw is shown as a usage error, with the option's name. */

export const whole =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

export const VERSION_MAX = 2_147_483_647;
export const version = whole(1, VERSION_MAX);
export const LIMIT_MAX = 1_000;
export const limit = whole(1, LIMIT_MAX);

/** ISO 8601 with a zone: without one it would mean another moment on another machine. */
export function moment(text: string): Date {
  const time = new Date(text);
  if (/T.*(Z|[+-]\d\d:?\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('It must be a time with its zone, like 2026-03-01T12:30:00Z.');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);

export function uuid(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a UUID.');
}

/** a,b,c; at least one. */
export function commaSeparated(text: string): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.every((part) => part !== '')) return parts;
  throw new InvalidArgumentError('It must be words with commas between them.');
}

export function httpUrl(text: string): string {
  if (isHttpUrl(text)) return text;
  throw new InvalidArgumentError('It must be a URL, such as http://localhost:3000/hook.');
}
