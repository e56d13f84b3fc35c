import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { SharedProduct } from '@junction/demo';

export const TOPIC = 'assistant.events.v1';

interface WithKcat {
  readonly userId: string;
  readonly type: string;
  /** Data of the events: each line is a record. */
  readonly lines: string;
  readonly options?: readonly string[];
}

/** Writes records of an event, all with the same id, as no producer of ours would. */
export function writeWithKcat(
  { endpoints }: Pick<SharedProduct, 'endpoints'>,
  { userId, type, lines, options = [] }: WithKcat,
): void {
  const headers = {
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_source: '/kcat',
    ce_type: type,
    ce_subject: userId,
    'content-type': 'application/json',
  };
  const args = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const { status, stderr, error } = spawnSync(
    'kcat',
    ['-P', '-b', endpoints.kafka, '-t', TOPIC, '-k', userId, ...args, ...options],
    { input: lines, encoding: 'utf8' },
  );
  if (error) throw new Error(`kcat could not be run (${error.message}): apt-get install -y kcat`);
  expect({ status, stderr }).toMatchObject({ status: 0 });
}
