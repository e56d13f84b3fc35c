import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { MEMORY_OPTIONS } from './memory-options.js';

it('are those of the images', () => {
  const file = path.resolve(import.meta.dirname, '../../../../infra/docker/service.Dockerfile');
  const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  expect(JSON.parse(entry)).toEqual(['node', ...MEMORY_OPTIONS, 'main.mjs']);
});
