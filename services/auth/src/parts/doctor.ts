import type { Check } from '@junction/service';
import { verifyMailServer } from '../adapters/smtp/mailer.js';
import type { Config } from '../config.js';

/** The needs of auth beside those of the platform: a mail server, if auth is to send mail. */
export const doctorChecks = ({ mail }: Config): readonly Check[] => [
  {
    name: 'mail',
    remedy:
      'Check host, port, user and password in SMTP_URL, and that the server offers STARTTLS or is asked by smtps://.',
    async look() {
      if (mail === undefined)
        return 'SMTP_URL is not set: no mail is sent, and no password is reset.';
      await verifyMailServer(mail);
      return 'The mail server takes our login.';
    },
  },
];
