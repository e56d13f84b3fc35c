import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { answerWith } from './answer.js';
import { type Mailbox, mailbox, type ReceivedMail } from './mailbox.js';

const MAIL_BYTES_MAX = 1_000_000;
const CLOSE_MS = 500;
const REFUSED = 550; // RFC 5321, section 4.2.3: mailbox unavailable.

export interface DevMailOptions {
  /** 0, the default, takes a free one. */
  readonly smtpPort?: number;
  /** Port of the page. 0, the default, takes a free one. */
  readonly httpPort?: number;
  readonly host?: string;
}

export interface DevMail {
  readonly smtpPort: number;
  readonly smtpUrl: string;
  readonly url: string;
  /** Returns mails, the newest first; with an address only those to that address. */
  mails(to?: string): readonly ReceivedMail[];
  close(): Promise<void>;
}

/** Starts the mail server in this process. Mail to …@refused.example is refused for good. */
export async function startDevMail(options: DevMailOptions = {}): Promise<DevMail> {
  const { smtpPort = 0, httpPort = 0, host = '127.0.0.1' } = options;
  const box = mailbox();
  const smtp = smtpServer(box);
  // A client's broken connection is its own; a taken port is heard of below.
  smtp.on('error', () => {});
  const smtpAt = await listening(smtp.listen(smtpPort, host));
  // Longer than a client keeps an idle connection, so that none is closed as its next request is on the way.
  const http = createServer({ keepAliveTimeout: 600_000 }, answerWith(box));
  const closeSmtp = async () => new Promise<void>((resolve) => smtp.close(() => resolve()));
  try {
    const httpAt = await listening(http.listen(httpPort, host));
    return {
      smtpPort: smtpAt,
      smtpUrl: `smtp://127.0.0.1:${smtpAt}`,
      url: `http://127.0.0.1:${httpAt}`,
      mails: (to) => box.list(to),
      async close() {
        http.closeAllConnections();
        await Promise.all([closeSmtp(), new Promise((resolve) => http.close(resolve))]);
      },
    };
  } catch (error) {
    await closeSmtp();
    throw error;
  }
}

const smtpServer = (box: Mailbox): SMTPServer =>
  new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: CLOSE_MS,
    size: MAIL_BYTES_MAX,
    onAuth: ({ username = '' }, _session, done) => done(null, { user: username }),
    onRcptTo: ({ address }, _session, done) => done(refusalOf(address)),
    onData(stream, { envelope }, answer) {
      const to = envelope.rcptTo.map(({ address }) => address);
      buffer(stream)
        .then(async (raw) => box.add(raw, to))
        .then(
          () => answer(null),
          (error: Error) => answer(error),
        );
    },
  });

const refusalOf = (address: string): Error | null =>
  address.endsWith('@refused.example')
    ? Object.assign(new Error('There is no such mailbox.'), { responseCode: REFUSED })
    : null;

async function listening(server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening'); // Rejects when the port is taken.
  return (server.address() as AddressInfo).port;
}
