import { expect, it } from '@jest/globals';
import { commandFirst } from './global-options.js';

it.each([
  ['--json webhooks list', 'webhooks list --json'],
  ['webhooks --json list', 'webhooks list --json'],
  ['--url http://localhost:1 --api-key k status', 'status --url http://localhost:1 --api-key k'],
  ['--url=http://localhost:1 status', 'status --url=http://localhost:1'],
  ['-s auth events --json list user-1', 'events list -s auth --json user-1'],
  ['trigger --json draft.created -n 1', 'trigger draft.created --json -n 1'],
  ['events state -s auth user-1 --version 1', 'events state -s auth user-1 --version 1'],
  ['listen --forward status --json', 'listen --forward status --json'],
  ['__complete -- --json webhooks', '__complete -- --json webhooks'],
  ['--help webhooks list', 'webhooks list --help'],
  ['--version', '--version'],
  ['--json', '--json'],
])('the line %j has its command first: %j', (line, expected) => {
  expect(commandFirst(line.split(' ')).join(' ')).toBe(expected);
});
