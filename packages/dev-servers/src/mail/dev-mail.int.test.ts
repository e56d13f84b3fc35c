import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { type DevMail, startDevMail } from './start.js';

const to = 'ada@example.com';
const link = 'http://localhost:8080/reset-password#token=abc-DEF_123';
let mail: DevMail;
beforeAll(async () => {
  mail = await startDevMail();
});
afterAll(() => mail.close());
beforeEach(async () => {
  await fetch(`${mail.url}/clear`, { method: 'POST', redirect: 'manual' });
});

it('shows a mail with its links', async () => {
  await send(to, 'Set a new password', `Open this link:\n${link}\n`);

  const [received] = mail.mails(to);
  expect(received).toMatchObject({ to: [to], subject: 'Set a new password', links: [link] });
  const list = await page('/');
  expect(list).toContain('Set a new password');
  expect(await page(`/mails/${received?.id}`)).toContain(`href="${link}"`);
});

it('keeps long lines and other alphabets whole', async () => {
  const text = `Größe ${'x'.repeat(200)} ${link}`;
  await send(to, 'Grüße', text);
  expect(mail.mails(to)[0]).toMatchObject({ subject: 'Grüße', links: [link] });
  expect(mail.mails(to)[0]?.text.trim()).toBe(text);
});

it('escapes what a mail holds, and lets no script run', async () => {
  const html = '<script>alert(1)</script>';
  await send(to, html, html);
  const answer = await fetch(`${mail.url}/mails/${mail.mails()[0]?.id}`);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).not.toContain('<script>');
  expect(await page('/')).not.toContain('<script>');
});

it('gives programs the mail of one address', async () => {
  await send(to, 'for Ada', '');
  await send('bob@example.com', 'for Bob', '');
  const answer = await fetch(`${mail.url}/mails.json?to=bob@example.com`);
  expect(await answer.json()).toMatchObject({ items: [{ subject: 'for Bob' }] });
});

it('clears everything when asked, and says so of a mail that is gone', async () => {
  await send(to, 'gone soon', '');
  const id = mail.mails()[0]?.id;
  await fetch(`${mail.url}/clear`, { method: 'POST' });
  expect(mail.mails()).toEqual([]);
  expect((await fetch(`${mail.url}/mails/${id}`)).status).toBe(404);
});

it('refuses an address of refused.example for good', async () => {
  await expect(send('nobody@refused.example', 'never', '')).rejects.toMatchObject({
    responseCode: 550,
  });
});

it('says when its port is taken', async () => {
  await expect(startDevMail({ smtpPort: mail.smtpPort })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

async function send(to: string, subject: string, text: string): Promise<void> {
  const transport = createTransport(mail.smtpUrl);
  await transport.sendMail({ from: 'junction@example.com', to, subject, text });
  transport.close();
}

const page = async (path: string): Promise<string> => (await fetch(mail.url + path)).text();
