import type { RequestListener, ServerResponse } from 'node:http';
import type { Mailbox } from './mailbox.js';
import { listPage, mailPage, missingPage, PAGE_HEADERS } from './pages.js';

/** The page, the same as JSON for programs (/mails.json?to=), and /health. */
export const answerWith =
  (mailbox: Mailbox): RequestListener =>
  (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost');
    const route = `${req.method} ${pathname}`;
    if (route === 'GET /') return sendPage(res, 200, listPage(mailbox.list()));
    if (route === 'GET /mails.json') {
      res.setHeader('content-type', 'application/json').setHeader('cache-control', 'no-store');
      res.end(JSON.stringify({ items: mailbox.list(searchParams.get('to') ?? undefined) }));
      return;
    }
    if (route === 'POST /clear') {
      mailbox.clear();
      res.writeHead(303, { location: '/' }).end();
      return;
    }
    if (route === 'GET /health') {
      res.writeHead(204).end();
      return;
    }
    const mail = mailbox.find(pathname.replace(/^\/mails\//, ''));
    if (mail && req.method === 'GET') return sendPage(res, 200, mailPage(mail));
    sendPage(res, 404, missingPage());
  };

function sendPage(res: ServerResponse, status: number, page: string): void {
  res.writeHead(status, PAGE_HEADERS).end(page);
}
