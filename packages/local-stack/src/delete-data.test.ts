import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deleteData } from './delete-data.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'remove-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('deleting a data folder', () => {
  it('deletes what a stack put there, and the folder', () => {
    for (const name of ['postgres-18', 'kafka', 'logs']) mkdirSync(path.join(folder, name));
    for (const name of ['secrets.json', 'pids.json.4711', 'provider-acme.json.unfinished']) {
      writeFileSync(path.join(folder, name), '');
    }
    deleteData(folder);
    expect(existsSync(folder)).toBe(false);
  });

  it('deletes nothing when somebody else keeps something there, and names it', () => {
    mkdirSync(path.join(folder, 'kafka'));
    writeFileSync(path.join(folder, 'thesis.odt'), '');
    expect(() => deleteData(folder)).toThrow('did not put there (thesis.odt)');
    expect(existsSync(path.join(folder, 'kafka'))).toBe(true);
  });

  it('has nothing to do where there is no folder', () => {
    const absent = path.join(folder, 'absent');
    deleteData(absent);
    expect(existsSync(absent)).toBe(false);
  });
});
