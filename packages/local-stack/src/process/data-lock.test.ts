import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holderOf } from '../preflight/data-dir.mjs';
import { isAlive, markOf, readMark, writeMark } from '../preflight/process-identity.mjs';
import { lockData } from './data-lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the lock of a data folder', () => {
  it('refuses a second holder, naming the first', () => {
    lockData(folder);
    expect(() => lockData(folder)).toThrow(`in use by process ${process.pid}`);
    expect(() => lockData(folder)).toThrow('JUNCTION_DATA_DIR');
    expect(holderOf(folder)).toEqual(markOf(process.pid));
  });

  it('is free again once released', () => {
    lockData(folder).release();
    expect(holderOf(folder)).toBeUndefined();
    lockData(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken over from a process that is gone', () => {
    writeMark(path.join(folder, 'lock'), { pid: 2 ** 30, started: 'long ago' });
    lockData(folder);
    expect(holderOf(folder)).toEqual(markOf(process.pid));
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  it('is taken over when the number of its holder now belongs to another process', () => {
    writeMark(path.join(folder, 'lock'), { pid: process.ppid, started: 'before this one' });
    lockData(folder);
    expect(holderOf(folder)?.pid).toBe(process.pid);
  });

  it('is left alone by a holder that has lost it', () => {
    const lock = lockData(folder);
    const other = { pid: process.ppid, started: markOf(process.ppid)?.started ?? '' };
    writeMark(path.join(folder, 'lock'), other);
    lock.release();
    expect(readMark(path.join(folder, 'lock'))).toEqual(other);
  });
});

describe('the mark of a process', () => {
  it('is the same as long as the process lives', () => {
    const mark = markOf(process.pid);
    expect(mark).toEqual({ pid: process.pid, started: expect.stringMatching(/./) });
    expect(mark && isAlive(mark)).toBe(true);
  });

  it('does not exist for a number that nobody has', () => {
    expect(markOf(2 ** 30)).toBeUndefined();
  });
});
