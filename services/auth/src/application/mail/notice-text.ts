import { NOTICES, type NoticeKind, type NoticeWords } from '../notices.js';
import { composed, linkWith } from './mail-text.js';
import type { MailText } from './ports.js';

const RESET = 'If it was not you, choose "Forgot password" where you sign in.';

interface Noticed {
  readonly kind: NoticeKind;
  readonly at: Date;
  readonly publicUrl: string;
  /** Absent: no link takes it back. */
  readonly token?: string;
}

/** The mail about a change of an account. */
export function noticeText({ kind, at, publicUrl, token }: Noticed): MailText {
  const { subject, done, undo, otherwise = RESET }: NoticeWords = NOTICES[kind];
  const what = `${done} on ${momentOf(at)}.`;
  if (token === undefined) return composed(subject, { before: [what], after: [otherwise] });
  return composed(subject, {
    before: [
      what,
      'If you wanted this, do nothing. If you did not, take the change back within 72 hours, with every change since:',
    ],
    link: { url: linkWith(`${publicUrl}/undo-changes`, token), label: 'Take it back' },
    after: [
      'The link ends every session, and you choose a new password.',
      ...(undo?.but === undefined ? [] : [undo.but]),
    ],
  });
}

/** `25 November 2026 at 23:40 UTC`: the time zone of the reader is not known. */
function momentOf(at: Date): string {
  const day = at.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return `${day} at ${at.toISOString().slice(11, 16)} UTC`;
}
