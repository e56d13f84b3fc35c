import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
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

/** The policy of every file. The portal stands in frames of `portalOrigins` and shows their logos. */
function policyOf(file: string, portalOrigins: readonly string[]): string {
  const origins = file === PORTAL ? portalOrigins : [];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...origins].join(' '),
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${origins.join(' ') || "'none'"}`,
  ].join('; ');
}

/** Every page of the dashboard is this file. */
const INDEX = '/index.html';
/** Sent with 404 to a browser that asks for a page of the documentation that is not there. */
const DOCS_NOT_FOUND = '/docs/not-found.html';
/** Every page in the frame of another product is this one, below /portal. */
const PORTAL = '/portal.html';

/** Below these a path is never a page: a missing file is 404, whatever the caller accepts. */
const NOT_PAGES = ['/api', '/assets', '/docs', '/internal', '/oauth', '/.well-known'];

interface Encoding {
  /** Name in Accept-Encoding and Content-Encoding (RFC 9110, section 8.4.1). */
  readonly name: string;
  readonly ending: string;
}

/** Encodings of the files that the build packs, the smallest first. */
const ENCODINGS: readonly Encoding[] = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
];

/** Content types by the endings of the files that the build packs. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** A page of the documentation: the file of that name, which ends in .html. */
const DOCS_PAGE = /^\/docs(?:\/[\w-]+)*$/;

/**
 * Serves what was built as infra/gateway/nginx.conf does in production. There the folders are one; here a
 * file is looked for in one after another. `portalOrigins`: who may frame the portal.
 */
export function site(folders: readonly string[], portalOrigins: readonly string[]): Site {
  const serve = folders
    .map((folder) => filesOf(folder, portalOrigins))
    .reduceRight<Site>(
      (next, files) => (pathname, req, res, missing) => {
        // The query is removed: the query of a connect callback is for the page alone.
        req.url = pathname;
        files(req, res, () => next(pathname, req, res, missing));
      },
      (_pathname, _req, _res, missing) => missing(),
    );

  return (pathname, req, res, missing) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return missing();
    if (pathname === '/docs/') return void res.writeHead(308, { location: '/docs' }).end();
    const notFound = () => {
      if (!isBelow(pathname, '/docs') || !acceptsHtml(req)) return missing();
      res.statusCode = 404;
      serve(DOCS_NOT_FOUND, req, res, missing);
    };
    const page = () => serve(isBelow(pathname, '/portal') ? PORTAL : INDEX, req, res, missing);
    if (pathname === '/') return page();
    const file = DOCS_PAGE.test(pathname) ? `${pathname}.html` : pathname;
    // To whoever asks for it, a page that says 404 is not found either.
    if (file === DOCS_NOT_FOUND) return notFound();
    serve(file, req, res, () => (isPage(pathname, req) ? page() : notFound()));
  };
}

/** A folder's files, compressed where the build left them so and the browser accepts it. */
function filesOf(root: string, portalOrigins: readonly string[]): Handler {
  const plain = staticFiles(root, portalOrigins);
  const packed = ENCODINGS.map((encoding) => ({
    ...encoding,
    files: staticFiles(root, portalOrigins, encoding),
  }));
  return (req, res, next) => {
    const pathname = req.url ?? '';
    // The twins are another form of a file, and no files of their own.
    if (ENCODINGS.some(({ ending }) => pathname.endsWith(ending))) return next();
    if (!isPackable(pathname)) return plain(req, res, next);
    res.setHeader('vary', 'Accept-Encoding');
    const accepted = packed.filter(({ name }) => accepts(req, name));
    const serve = accepted.reduceRight<() => void>(
      (otherwise, { ending, files }) =>
        () => {
          req.url = `${pathname}${ending}`;
          files(req, res, otherwise);
        },
      () => {
        req.url = pathname;
        plain(req, res, () => {
          res.removeHeader('vary');
          next();
        });
      },
    );
    serve();
  };
}

type Handler = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

const staticFiles = (
  root: string,
  portalOrigins: readonly string[],
  encoding?: Encoding,
): Handler =>
  serveStatic(root, {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    cacheControl: false,
    acceptRanges: false,
    setHeaders: (res, file) => {
      for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value);
      const name = file.slice(root.length, encoding && -encoding.ending.length);
      if (encoding) res.setHeader('content-encoding', encoding.name);
      const type = TYPES[path.extname(name)];
      if (type) res.setHeader('content-type', type);
      res.setHeader('content-security-policy', policyOf(name, portalOrigins));
      res.setHeader('cache-control', cacheControlOf(name));
    },
  });

const isPackable = (file: string) => path.extname(file) in TYPES;

/** RFC 9110, section 12.5.3, without `*`, which no browser sends. */
const accepts = ({ headers }: IncomingMessage, encoding: string) =>
  (headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((each) => each.replaceAll(' ', '').split(';'))
    .some(([name, quality = 'q=1']) => name === encoding && Number(quality.slice(2)) > 0);

/** The name of a file below /assets changes with its content. */
function cacheControlOf(file: string): string {
  if (file === INDEX || file === PORTAL) return 'no-store';
  return isBelow(file, '/assets') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

/** A browser that goes to a path of the dashboard's own router gets the page. */
const isPage = (pathname: string, req: IncomingMessage) =>
  acceptsHtml(req) && !NOT_PAGES.some((prefix) => isBelow(pathname, prefix));

/** Media types have no case (RFC 9110, section 8.3.1). */
export const acceptsHtml = ({ headers }: IncomingMessage) =>
  /text\/html/i.test(headers.accept ?? '');
