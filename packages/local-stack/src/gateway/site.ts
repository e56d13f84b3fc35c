import type { IncomingMessage, ServerResponse } from 'node:http';
import serveStatic from 'serve-static';
import type { PageRules } from './page-rules.js';

/** Answers with a file of the dashboard, or not at all: `false` means that there is none. */
export type Site = (
  pathname: string,
  req: IncomingMessage,
  res: ServerResponse,
  missing: () => void,
) => void;

/** Serves the built dashboard as infra/gateway/pages.json says, as nginx does in production. */
export function site(rules: PageRules, root: string): Site {
  const { index, immutable, otherFiles } = rules;
  const cacheControlOf = (url: string): string => {
    if (url === index.file) return index.cacheControl;
    return isBelow(url, immutable.prefix) ? immutable.cacheControl : otherFiles.cacheControl;
  };
  const files = serveStatic(root, {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: (res, file) => {
      for (const [name, value] of Object.entries(rules.headers)) res.setHeader(name, value);
      res.setHeader('cache-control', cacheControlOf(file.slice(root.length)));
    },
  });
  const serve = (url: string, req: IncomingMessage, res: ServerResponse, missing: () => void) => {
    // A path with no query: what follows it in a callback is nobody's but the page's.
    req.url = url;
    files(req, res, missing);
  };

  return (pathname, req, res, missing) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return missing();
    const page = () => serve(index.file, req, res, missing);
    if (pathname === '/') return page();
    serve(pathname, req, res, () => (isPage(rules, pathname, req) ? page() : missing()));
  };
}

/** A browser that goes to a path of the dashboard's own router gets the page. */
const isPage = ({ notPages }: PageRules, pathname: string, { headers }: IncomingMessage) =>
  (headers.accept ?? '').includes('text/html') &&
  !notPages.some((prefix) => isBelow(pathname, prefix));

const isBelow = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`);
