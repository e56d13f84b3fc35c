import { JunctionProblem } from '@junction/client';
import type { Command } from 'commander';
import type { Failure } from './failure.js';

/**
 * Returns the text of a failure. Where the API names fields of a request that are wrong, the text names the options and
 * arguments in which the command line had them.
 */
export function failureText({ message, cause }: Failure, command: Command | undefined): string {
  if (command === undefined || !(cause instanceof JunctionProblem)) return message;
  if (cause.status !== 400 || cause.errors.length === 0) return message;
  return cause.errors
    .map((error) => {
      const name = typedName(command, error.field);
      // Most messages go on from the name: "must be one of …". The others are sentences.
      return `${name}${/^[a-z]/.test(error.message) ? '' : ':'} ${error.message}`;
    })
    .join('\n');
}

/**
 * Returns the option or argument that has the name of a field, or a part of it: `events.0` is --events, `webhook_id` is
 * --webhook or <webhook>, `appearance.accent_color` is --accent.
 */
function typedName({ registeredArguments, options }: Command, field: string): string {
  const parts = field.replaceAll('_', '-').split('.');
  const typed = [
    ...registeredArguments.map((one) => ({ name: one.name(), shown: `<${one.name()}>` })),
    ...options.map((one) => ({ name: one.name(), shown: one.long ?? one.flags })),
  ];
  const found =
    typed.find(({ name }) => parts.includes(name)) ??
    typed.find(({ name }) => parts.some((part) => part === `${name}s` || isWithin(name, part)));
  return found?.shown ?? `The ${field.replaceAll(/[._]/g, ' ')}`;
}

const isWithin = (name: string, part: string): boolean =>
  part.startsWith(`${name}-`) || part.endsWith(`-${name}`);
