import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { AuthEvent } from '../domain/auth-event.js';
import { noticeText } from './mail/notice-text.js';
import { NOTICES, type NoticeKind, noticeOf } from './notices.js';

const GOLDEN = new URL('../../golden/', import.meta.url);
const at = new Date('2030-01-02T03:04:05Z');
const publicUrl = 'https://junction.example';

/** Event types of accounts and their keys that send no notice. */
const SILENT = [
  'user.registered',
  'user.email_verified',
  'user.role_changed',
  'user.trouble_mails_changed',
  'user.reopened',
  'user.recovered',
  'user.deleted',
];

describe('the table of notices', () => {
  it('knows every event of users and API keys that was ever stored', () => {
    const files = readdirSync(GOLDEN).filter((file) => /^(user|api_key)\./.test(file));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const type = file.replace(/\.v\d+\.json$/, '');
      const data = JSON.parse(readFileSync(new URL(file, GOLDEN), 'utf8')) as object;
      const notice = noticeOf({ type, data } as AuthEvent);
      expect([type, notice in NOTICES]).toEqual([type, !SILENT.includes(type)]);
    }
  });
});

describe('the text of a notice', () => {
  it.each(Object.keys(NOTICES) as NoticeKind[])(
    'is whole with a link and without, for %s',
    (kind) => {
      const bare = noticeText({ kind, at, publicUrl });
      expect(bare.text).toContain(' on 2 January 2030 at 03:04 UTC.');
      expect(bare.text).not.toContain('http');
      const linked = noticeText({ kind, at, publicUrl, token: 'jn_mt_1' });
      expect(linked.text).toContain('\n\nhttps://junction.example/undo-changes#token=jn_mt_1\n\n');
      expect(linked.html).toContain(
        '<a href="https://junction.example/undo-changes#token=jn_mt_1">',
      );
    },
  );
});
