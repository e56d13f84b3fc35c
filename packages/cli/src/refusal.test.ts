import { expect, it } from '@jest/globals';
import { JunctionProblem } from '@junction/client';
import { Command } from 'commander';
import { EXIT, Failure } from './failure.js';
import { failureText } from './refusal.js';

const command = new Command('create')
  .argument('<url>')
  .option('--events <kinds>')
  .option('--status <status>')
  .option('--http-status <status>')
  .option('--accent <color>')
  .option('--grant <grant>')
  .option('--webhook <id>');

it.each([
  ['url', 'must be https.', '<url> must be https.'],
  ['events.0', 'must be one of a, b.', '--events must be one of a, b.'],
  ['http_status', 'Invalid input', '--http-status: Invalid input'],
  ['webhook_id', 'must be an id.', '--webhook must be an id.'],
  ['appearance.accent_color', 'must be a color.', '--accent must be a color.'],
  ['grants.0.scopes.1', 'must be scopes.', '--grant must be scopes.'],
  ['retry_schedule.0', 'must be whole.', 'The retry schedule 0 must be whole.'],
])('the field %s of a refusal is named as it was typed', (field, message, expected) => {
  expect(failureText(refused([{ field, code: 'invalid', message }]), command)).toBe(expected);
});

it('every field has its line, and a failure without fields keeps its words', () => {
  const fields = ['url', 'events.1'].map((field) => ({
    field,
    code: 'x',
    message: 'must differ.',
  }));
  expect(failureText(refused(fields), command)).toBe('<url> must differ.\n--events must differ.');
  expect(failureText(refused([]), command)).toBe('It was refused.');
  expect(failureText(refused(fields), undefined)).toBe('It was refused.');
});

function refused(errors: readonly { field: string; code: string; message: string }[]) {
  const body = { code: 'invalid_request', detail: 'The request is not valid.', errors };
  const cause = new JunctionProblem(new Response(null, { status: 400 }), body);
  return new Failure('It was refused.', EXIT.usage, { cause });
}
