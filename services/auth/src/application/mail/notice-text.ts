import { NOTICES, type NoticeKind, type NoticeWords } from '../notices.js';
import { composed, linkWith, momentOf, type Paragraph } from './mail-text.js';
import type { MailText } from './ports.js';

const RESET = 'If it was not you, choose "Forgot password" where you sign in.';

interface Noticed {
  readonly kind: NoticeKind;
  readonly at: Date;
  readonly publicUrl: string;
  /** Absent: no link takes it back. */
  readonly token?: string;
  /** Whether the link may also end an account at once that was deleted. */
  readonly mayEndAtOnce?: boolean;
  /** Each of several changes of its kind, if they are listed. */
  readonly details?: readonly Paragraph[];
}

/** The mail about a change of an account. */
export function noticeText({
  kind,
  at,
  publicUrl,
  token,
  mayEndAtOnce,
  details = [],
}: Noticed): MailText {
  const { subject, done, undo, otherwise = RESET, wanted }: NoticeWords = NOTICES[kind];
  const advice =
    (mayEndAtOnce ? wanted?.orAtOnce : wanted?.advice) ?? 'If you wanted this, do nothing.';
  const what = details.length > 0 ? `${done}:` : `${done} on ${momentOf(at)}.`;
  if (token === undefined) return composed(subject, [what, ...details, otherwise]);
  return composed(subject, [
    what,
    ...details,
    `${advice} If you did not, take the change back within 72 hours, with every change since:`,
    { url: linkWith(`${publicUrl}/undo-changes`, token), label: 'Take it back' },
    'The link ends every session, and you choose a new password.',
    ...(undo?.but === undefined ? [] : [undo.but]),
  ]);
}
