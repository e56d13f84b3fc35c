import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { MEMORY_OPTIONS } from './memory-options.js';

it('are those of the images, where old objects get half of the container', () => {
  const file = path.resolve(import.meta.dirname, '../../../../infra/docker/service.Dockerfile');
  const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  const options = MEMORY_OPTIONS.map((option) =>
    option.replace('-size=1024', '-size-percentage=50'),
  );
  const program = ['--import', './telemetry.mjs', 'main.mjs'];
  expect(JSON.parse(entry)).toEqual(['node', ...options, ...program]);
});
