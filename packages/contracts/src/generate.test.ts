import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const GENERATE = path.join(ROOT, 'packages/contracts/bin/generate.mjs');
const PROTO = 'proto/junction/integrations/v1/integrations.proto';
const FIELD = '  string access_token = 1;\n';

let checkout = '';
beforeEach(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'contracts-'));
  for (const part of ['proto', 'buf.yaml', 'buf.gen.yaml', 'packages/contracts/src/gen']) {
    cpSync(path.join(ROOT, part), path.join(checkout, part), { recursive: true });
  }
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
});
afterEach(() => rmSync(checkout, { recursive: true }));

describe('generate:check', () => {
  it('refuses protos without a field that landed', async () => {
    change(FIELD, '');
    expect(await printed('--check')).toMatch(/Previously present field "1" .*was deleted/);
  });

  it('refuses it from `generate` too, which leaves the image of the landed protos as it was', async () => {
    const image = () => readFileSync(path.join(checkout, 'proto/landed.binpb'));
    const landed = image();
    change(FIELD, '');
    expect(await printed()).toContain('buf breaking failed');
    expect(image()).toEqual(landed);
  });

  it('refuses a new field until its code and the image are generated', async () => {
    change(FIELD, `${FIELD}  string token_type = 100;\n`);
    expect(await printed('--check')).toMatch(/Not what proto\/ becomes: .*proto\/landed\.binpb/);
    expect(await printed()).toBe('');
  });
});

function change(from: string, to: string): void {
  const file = path.join(checkout, PROTO);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

/** Returns the output of the command, which is empty when all files are current. */
async function printed(...args: readonly string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [GENERATE, ...args], { cwd: checkout });
  const { stdout, stderr } = await run.catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return stdout + stderr;
}
