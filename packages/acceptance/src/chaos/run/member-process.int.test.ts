import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { memberProcess } from './member-process.js';

it('a process that ends by itself is named with its last words', async () => {
  const logsDir = mkdtempSync(path.join(tmpdir(), 'chaos-member-'));
  const nowhere = path.join(logsDir, 'nowhere', 'file');
  const settings = {
    seed: 1,
    databaseUrl: '',
    brokers: '',
    historyFile: nowhere,
    endFile: nowhere,
  };
  const said = await new Promise<string>((onUnasked) => {
    memberProcess({ ...settings, name: 'writer-1' }, { logsDir, onUnasked });
  });
  expect(said).toMatch(
    /^writer-1 ended by itself \(exit code 1\):\n[^]*Invalid URL[^]*writer-1\.log\.$/,
  );
  rmSync(logsDir, { recursive: true });
});
