import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { reservePort } from './port-reservation.js';

const dir = mkdtempSync(path.join(tmpdir(), 'ports-'));

afterAll(() => {
  rmSync(dir, { recursive: true });
});

describe('a port', () => {
  it('is reserved once', () => {
    expect(reservePort(20_001, dir)).toBe(true);
    expect(reservePort(20_001, dir)).toBe(false);
    expect(reservePort(20_002, dir)).toBe(true);
  });

  it('is free again when whoever reserved it has long had it or given up', () => {
    expect(reservePort(20_003, dir)).toBe(true);
    const before = new Date(Date.now() - 121_000);
    utimesSync(path.join(dir, '20003'), before, before);
    expect(reservePort(20_003, dir)).toBe(true);
  });
});
