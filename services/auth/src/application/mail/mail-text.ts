import type { MailKind, MailText } from './ports.js';

interface Words {
  readonly subject: string;
  readonly lines: readonly string[];
  /** The page that takes the token, and what its link says. */
  readonly link?: { readonly path: string; readonly label: string };
}

const WORDS: Readonly<Record<MailKind, Words>> = {
  verify_email: {
    subject: 'Verify your e-mail address',
    lines: [
      'Somebody signed up at Junction with this address. If it was you, verify it within 24 hours:',
      'If it was not you, do nothing.',
    ],
    link: { path: '/verify-email', label: 'Verify this address' },
  },
  change_email: {
    subject: 'Confirm your new e-mail address',
    lines: [
      'You asked Junction to use this address for your account. Confirm it within 24 hours:',
      'If you did not ask for this, do nothing.',
    ],
    link: { path: '/verify-email', label: 'Use this address' },
  },
  reset_password: {
    subject: 'Reset your password',
    lines: [
      'Somebody asked for a new password for your account at Junction. Choose one within 30 minutes:',
      'It ends every session. If it was not you, do nothing: your password stays.',
    ],
    link: { path: '/reset-password', label: 'Choose a new password' },
  },
  email_changed: {
    subject: 'Your e-mail address was changed',
    lines: [
      'Your account at Junction has another e-mail address now, and this one is no longer used.',
      'If you did not change it, somebody else has access to your account: ask your operator for help.',
    ],
  },
  password_changed: {
    subject: 'Your password was changed',
    lines: [
      'The password of your account at Junction was changed, and other sessions have ended.',
      'If you did not change it, reset it now: choose "Forgot password" where you sign in.',
    ],
  },
};

/** The token stands in the fragment: browsers send that to no server, so it reaches no log. */
export function mailText(kind: MailKind, publicUrl: string, token: string | undefined): MailText {
  const { subject, lines, link } = WORDS[kind];
  const url = link && `${publicUrl}${link.path}#token=${token ?? ''}`;
  const [first = '', ...rest] = lines;
  const paragraphs = [first, ...(url === undefined ? [] : [url]), ...rest];
  const button = link && `<p><a href="${url}">${link.label}</a></p>`;
  return {
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: [first, ...rest]
      .map((line) => `<p>${line}</p>`)
      .toSpliced(1, 0, ...(button === undefined ? [] : [button]))
      .join('\n'),
  };
}
