import { createServer } from 'node:net';
import { expect, it } from '@jest/globals';
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
