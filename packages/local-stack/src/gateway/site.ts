import type { IncomingMessage, ServerResponse } from 'node:http';
import serveStatic from 'serve-static';
import { isBelow } from './routes.js';

/** Answers with a file of the dashboard or of the documentation, or calls `missing` when there is none. */
export type Site = (
  pathname: string,
  req: IncomingMessage,
  res: ServerResponse,
  missing: () => void,
) => void;

/** Sent with every file, the connect callback's page included. */
const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The policy of every file but one: Scalar makes <style> elements while it runs. */
const policyOf = (file: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'${file === TRY_API ? " 'unsafe-inline'" : ''}; img-src 'self' data:; ` +
  "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'";

/** The page of the documentation on which the API is tried out. */
const TRY_API = '/docs/api/try.html';

/** Every page of the dashboard is this file. */
const INDEX = '/index.html';

/** Below these a path is never a page: a missing file is 404, whatever the caller accepts. */
const NOT_PAGES = ['/api', '/assets', '/docs', '/internal', '/oauth', '/.well-known'];

/** A page of the documentation: the file of that name, which ends in .html. */
const DOCS_PAGE = /^\/docs(?:\/[\w-]+)*$/;

/**
 * Serves what was built as infra/gateway/nginx.conf does in production. There the folders are one; here a
 * file is looked for in one after another.
 */
export function site(folders: readonly string[]): Site {
  const serve = folders.map(filesOf).reduceRight<Site>(
    (next, files) => (pathname, req, res, missing) => {
      // Without its query: the query of a connect callback is for the page alone.
      req.url = pathname;
      files(req, res, () => next(pathname, req, res, missing));
    },
    (_pathname, _req, _res, missing) => missing(),
  );

  return (pathname, req, res, missing) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return missing();
    if (pathname === '/docs/') return void res.writeHead(308, { location: '/docs' }).end();
    if (DOCS_PAGE.test(pathname)) return serve(`${pathname}.html`, req, res, missing);
    const page = () => serve(INDEX, req, res, missing);
    if (pathname === '/') return page();
    serve(pathname, req, res, () => (isPage(pathname, req) ? page() : missing()));
  };
}

const filesOf = (root: string) =>
  serveStatic(root, {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: (res, file) => {
      for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value);
      const name = file.slice(root.length);
      res.setHeader('content-security-policy', policyOf(name));
      res.setHeader('cache-control', cacheControlOf(name));
    },
  });

/** The name of a file below /assets changes with its content. */
function cacheControlOf(file: string): string {
  if (file === INDEX) return 'no-store';
  return isBelow(file, '/assets') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

/** A browser that goes to a path of the dashboard's own router gets the page. */
const isPage = (pathname: string, { headers }: IncomingMessage) =>
  (headers.accept ?? '').includes('text/html') &&
  !NOT_PAGES.some((prefix) => isBelow(pathname, prefix));
