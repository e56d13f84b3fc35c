import type { z } from 'zod';
import { formerSettings } from './former-settings.js';
import { kafkaMistakes } from './kafka-mistakes.js';
import { contradictions, type Mistake, unsafeSettings } from './unsafe.js';

/** The environment cannot be used. The message lists every mistake, and no value. */
export class ConfigError extends Error {
  constructor(readonly mistakes: readonly Mistake[]) {
    const lines = mistakes.map(({ variable, message }) => `  ${variable}: ${message}`);
    super(`The environment is not usable:\n${lines.join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Parses the environment, and names every mistake at once: nobody should restart a service to learn of the next typo.
 * An empty variable counts as absent, because a compose file passes an empty text for a variable that is not set.
 * Outside JUNCTION_ENV=development default secrets are refused as well, and everywhere names that are read no more.
 */
export function parseConfig<T>(
  schema: z.ZodType<T>,
  environment: Readonly<Record<string, string | undefined>>,
): T {
  const env = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(env);
  const mistakes = [
    ...(result.error?.issues ?? []).map((issue) => toMistake(issue, env)),
    ...contradictions(env),
    ...kafkaMistakes(env),
    ...unsafeSettings(env),
    ...formerSettings(env).refused,
  ];
  if (result.success && mistakes.length === 0) return result.data;
  throw new ConfigError(mistakes);
}

function toMistake(
  { path, message }: z.core.$ZodIssue,
  env: Readonly<Record<string, string | undefined>>,
): Mistake {
  const variable = String(path[0] ?? 'environment');
  if (path.length > 0 && env[variable] === undefined) return { variable, message: 'is missing' };
  const item = path.length > 1 ? `item ${path.slice(1).map(String).join('.')}: ` : '';
  return { variable, message: `${item}${message}` };
}
