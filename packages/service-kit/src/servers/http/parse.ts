import { AppError, type FieldError } from '@junction/errors';
import type { z } from 'zod';

const FIELDS_MAX = 50;

/**
 * The one way untrusted input becomes a value. AppError `invalid_request` names every field
 * that is wrong; with z.strictObject also every field that does not exist.
 */
export function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input, { reportInput: false });
  if (result.success) return result.data;

  const fields = result.error.issues
    .flatMap((issue) => toFields(issue, input))
    .slice(0, FIELDS_MAX);
  const detail = fields.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw new AppError('invalid_request', `The request is not valid. ${detail}`, { fields });
}

function toFields(issue: z.core.$ZodIssue, input: unknown): readonly FieldError[] {
  const at = (path: readonly PropertyKey[]) =>
    path.map((key) => clip(String(key))).join('.') || 'body';

  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: at([...issue.path, key]),
      code: 'unknown_field',
      message: 'There is no such field.',
    }));
  }
  if (isMissing(issue, input)) {
    return [{ field: at(issue.path), code: 'required', message: 'This field is required.' }];
  }
  return [{ field: at(issue.path), code: codeOf(issue), message: issue.message }];
}

/** A schema's own stable code: `.refine(check, { params: { code: 'private_address' }, error: '…' })`. */
function codeOf(issue: z.core.$ZodIssue): string {
  const code: unknown = issue.code === 'custom' ? issue.params?.['code'] : issue.code;
  return typeof code === 'string' ? code : 'invalid';
}

function isMissing(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value') return false;
  let value: unknown = input;
  for (const key of issue.path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value === undefined;
}

/** The caller chose the name and gets it back, so it has an end. */
export const clip = (key: string): string => (key.length > 100 ? `${key.slice(0, 100)}…` : key);
