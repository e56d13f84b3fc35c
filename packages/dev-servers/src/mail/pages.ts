import { createHash } from 'node:crypto';
import { type Html, html, STYLE } from '../provider/pages/index.js';
import type { ReceivedMail } from './mailbox.js';

const OWN_STYLE = `${STYLE}
.mail { --accent: #7a3e9d; --on-accent: #fff; }
@media (prefers-color-scheme: dark) { .mail { --accent: #d5a8f0; --on-accent: #22102e; } }
main { max-width: 44rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 0 0 1rem; }
a { color: inherit; overflow-wrap: anywhere; }
`;

/** No scripts, nothing loaded, not framed: the content of mails is anybody's. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(OWN_STYLE).digest('base64')}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

export const listPage = (mails: readonly ReceivedMail[]): string =>
  page(
    'Mail',
    html`
<h1>Mail that was sent</h1>
<p class="notice">This is a <strong>development mail server</strong>. It delivers nothing: every mail
stays here, until this server stops.</p>
<div class="actions">
<form method="get" action="/"><button class="main">Refresh</button></form>
<form method="post" action="/clear"><button>Clear</button></form>
</div>
${mails.length === 0 ? html`<p>No mail yet.</p>` : mails.map(card)}`,
  );

const card = (mail: ReceivedMail): Html => html`
<section class="card">
<h2><a href="/mails/${mail.id}">${mail.subject}</a></h2>
<p>To ${mail.to.join(', ')}, ${time(mail.receivedAt)}</p>
</section>`;

export const mailPage = (mail: ReceivedMail): string =>
  page(
    mail.subject,
    html`
<h1>${mail.subject}</h1>
<p>From ${mail.from}<br>To ${mail.to.join(', ')}<br>${time(mail.receivedAt)}</p>
<section class="card"><pre>${mail.text}</pre></section>
${mail.links.length === 0 ? undefined : html`<h2>Links</h2><ul>${mail.links.map(link)}</ul>`}
<p><a href="/">All mail</a></p>`,
  );

export const missingPage = (): string =>
  page(
    'Not found',
    html`<h1>There is no such mail</h1>
<p>It may have been cleared. <a href="/">All mail</a></p>`,
  );

const link = (url: string): Html => html`<li><a href="${url}" rel="noreferrer">${url}</a></li>`;

const time = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${DATE.format(at)} UTC</time>`;

const DATE = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'medium',
  timeZone: 'UTC',
});

const page = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Mail</title>
<style>${{ markup: OWN_STYLE }}</style>
</head>
<body class="mail">
<header><strong>Mail</strong> development server</header>
<main>
${body}
</main>
</body>
</html>
`.markup;
