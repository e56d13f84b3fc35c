import type { FieldError } from '@junction/errors';
import type { z } from 'zod';
import { fieldWords } from './field-words.js';
import { fieldAt, notValid, refuseUnstorable } from './text-faults.js';

/**
 * Turns untrusted input into a value; nothing else does. AppError `invalid_request` names every field that is wrong,
 * and with z.strictObject also every field that does not exist. AppError `unstorable_text` names every text that no
 * schema could take.
 */
export function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  refuseUnstorable(input);
  const result = schema.safeParse(input, { reportInput: false, error: fieldWords });
  if (result.success) return result.data;

  throw notValid(result.error.issues.flatMap((issue) => toFields(issue, input)));
}

function toFields(issue: z.core.$ZodIssue, input: unknown): readonly FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: fieldAt([...issue.path, key]),
      code: 'unknown_field',
      message: 'There is no such field.',
    }));
  }
  if (isMissing(issue, input)) {
    return [{ field: fieldAt(issue.path), code: 'required', message: 'This field is required.' }];
  }
  return [{ field: fieldAt(issue.path), code: codeOf(issue), message: issue.message }];
}

/** Returns a schema's own stable code: `.refine(check, { params: { code: 'private_address' }, error: '…' })`. */
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
