import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { canEnter, unprivilegedUser } from './unprivileged-user.js';

const PASSWD = `root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin
`;

describe('the user that Postgres runs as', () => {
  it('is ourselves unless we are root', () => {
    expect(unprivilegedUser(1_000)).toBeUndefined();
  });

  it('is postgres for root, or else nobody', () => {
    const postgres = 'postgres:x:101:104::/var/lib/postgresql:/bin/bash\n';
    expect(unprivilegedUser(0, () => PASSWD)).toEqual({ name: 'nobody', uid: 65_534, gid: 65_533 });
    expect(unprivilegedUser(0, () => PASSWD + postgres)?.name).toBe('postgres');
  });

  it('must exist', () => {
    expect(() => unprivilegedUser(0, () => 'root:x:0:0::/root:/bin/sh\n')).toThrow(
      'neither a user "postgres" nor "nobody"',
    );
  });
});

describe('a folder that a user may enter', () => {
  const stranger = { name: 'stranger', uid: 54_321, gid: 54_321 };
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'enter-'));
    mkdirSync(path.join(folder, 'inner'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is open to others, and everything above it is', () => {
    chmodSync(folder, 0o755);
    expect(canEnter(path.join(folder, 'inner'), stranger)).toBe(true);
    chmodSync(folder, 0o700);
    expect(canEnter(path.join(folder, 'inner'), stranger)).toBe(false);
  });

  it('is judged by the bits that are meant for this user', () => {
    const owner = { name: 'me', uid: process.getuid?.() ?? 0, gid: 54_321 };
    const member = { name: 'member', uid: 54_321, gid: process.getgid?.() ?? 0 };
    chmodSync(folder, 0o710);
    expect([owner, member, stranger].map((user) => canEnter(folder, user))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
