import { createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { startDevMail } from '@junction/dev-servers/mail';
import { serverAway } from '@junction/service/process';
import { listening } from '@junction/testing';
import { smtpMailer } from './mailer.js';

const address = 'ada@example.com';

it('does not repeat what a mail server says of an address', async () => {
  const server = createServer((socket) => {
    socket.write('220 mail.example ESMTP\r\n');
    socket.on('data', (data) => {
      const isRecipient = data.toString().startsWith('RCPT');
      // As Postfix does.
      socket.write(isRecipient ? `550 5.1.1 <${address}>: User unknown\r\n` : '250 OK\r\n');
    });
  });
  const { port, close } = await listening(server);
  const mailer = smtpMailer({
    smtpUrl: `smtp://127.0.0.1:${port}`,
    from: 'a@b.example',
    requireTls: false,
  });

  const mail = { mailId: 'one', address, subject: 's', text: 't', html: 'h' };
  const refusal = await mailer.send(mail).catch((error: unknown) => error);
  mailer.close();
  await close();
  expect(refusal).toMatchObject({ code: 'mail_refused' });
  expect(refusal).toMatchObject({ message: expect.stringContaining('EENVELOPE, 550') });
  expect(JSON.stringify(refusal, Object.getOwnPropertyNames(refusal))).not.toContain(address);
});

it('names the server that is away, and tells when it has taken a mail', async () => {
  const server = await startDevMail();
  const answered: string[] = [];
  const mailer = smtpMailer({
    smtpUrl: server.smtpUrl,
    from: 'a@b.example',
    requireTls: false,
    answered: (host) => void answered.push(host),
  });
  const mail = { mailId: 'one', address, subject: 's', text: 't', html: 'h' };
  await mailer.send(mail);
  const { host } = new URL(server.smtpUrl);
  expect(answered).toEqual([host]);
  await server.close();
  const failure = await mailer.send(mail).catch((error: unknown) => error);
  mailer.close();
  expect(serverAway(failure)).toMatchObject({ server: host });
  expect(answered).toHaveLength(1);
});
