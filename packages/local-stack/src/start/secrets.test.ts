import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LocalStackError } from '../local-stack-error.js';
import { secretsOf } from './secrets.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the secrets of a data folder', () => {
  it('are made once, each another, for their owner alone', () => {
    const made = secretsOf(folder);
    expect(secretsOf(folder)).toEqual(made);
    const { acme, globex } = made.providers;
    expect(new Set([...Object.values(acme), ...Object.values(globex)]).size).toBe(4);
    expect(statSync(path.join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('are refused with a remedy when another release made them, and are not shown', () => {
    const { providers: _none, ...others } = secretsOf(folder);
    writeFileSync(path.join(folder, 'secrets.json'), JSON.stringify(others));
    const read = () => secretsOf(folder);
    expect(read).toThrow(LocalStackError);
    expect(read).toThrow(/of another release of Junction \(providers: .*npm run reset/);
    expect(read).not.toThrow(others.databases.auth);
  });
});
