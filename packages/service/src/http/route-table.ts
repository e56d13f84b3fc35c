import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type Route, routesOf } from './mount.js';

/** Routes that are reached the same way: `through` first, in this order, then the router. */
export interface RouteGroup {
  /** Stands before the paths of the routes, so that one router may be mounted twice. */
  readonly prefix?: string;
  readonly through: readonly RequestHandler[];
  /** Routes with their whole paths (`router.get('/api/webhooks/:id', …)`), not nested in each other. */
  readonly router: Router;
}

/** Route of a request, as far as the table knows it before any handler has run. */
export interface RouteMatch {
  readonly group: RouteGroup | undefined;
  /** Pattern of the route, `/api/webhooks/:id`: a name for logs and metrics that no caller can make up. */
  readonly route: string | undefined;
  /** Methods this path answers to; empty for an unknown path. */
  readonly methods: readonly string[];
  /** Description of the route, where `mount` mounted it. */
  readonly described: Route | undefined;
}

export interface RouteTable {
  /** Notes the path of a request. Goes first. */
  readonly probe: RequestHandler;
  match(req: Request, res: Response): RouteMatch;
}

interface Note extends Pick<RouteMatch, 'described'> {
  readonly route: string;
  readonly method: string;
  readonly group: RouteGroup;
}

/** Finds the route of a request without running it, so that 404 and 405 come before 401. */
export function routeTable(groups: readonly RouteGroup[]): RouteTable {
  const found = new WeakMap<Response, Note[]>();
  const probe = Router({ caseSensitive: true });

  for (const group of groups) {
    const { prefix = '', router } = group;
    for (const { route } of router.stack) {
      if (route === undefined) continue;
      const methods = route.stack.map(({ method }) => method.toUpperCase());
      // A route may have several paths, whatever its type says; each is a pattern of its own.
      for (const path of [route.path].flat() as readonly (string | RegExp)[]) {
        const pattern = prefix === '' ? path : `${prefix}${String(path)}`;
        const described = routesOf(router).find(
          (one) => one.path === path && methods.includes(one.method.toUpperCase()),
        );
        // Express itself does the matching: this router has the same paths, and only takes notes.
        probe.all(pattern, (_req, res, next) => {
          const notes = methods.map((method) => ({
            route: String(pattern),
            method,
            group,
            described,
          }));
          found.set(res, [...(found.get(res) ?? []), ...notes]);
          next();
        });
      }
    }
  }

  return {
    probe,

    match(req: Request, res: Response): RouteMatch {
      const notes = found.get(res) ?? [];
      const { method } = req;
      const hit =
        notes.find((note) => note.method === method) ??
        (method === 'HEAD' ? notes.find((note) => note.method === 'GET') : undefined);
      const methods = new Set(notes.map((note) => note.method));
      if (methods.has('GET')) methods.add('HEAD');
      const { group, described } = hit ?? {};
      return { group, route: hit?.route ?? notes[0]?.route, methods: [...methods], described };
    },
  };
}
