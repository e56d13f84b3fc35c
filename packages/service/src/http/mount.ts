import type { ProblemCode } from '@junction/errors';
import type { Request, RequestHandler, Response, Router } from 'express';
import { z } from 'zod';
import { parse } from './parse.js';
import { requestSignal } from './request-signal.js';
import { turnOf } from './request-turns.js';
import { refuseMisencoded, refuseUnstorable } from './text-faults.js';

/** Description of a route. Requests are checked by it, handlers are typed by it, and documents are made of it. */
export interface Route<Body = unknown, Query = unknown, Answer = unknown> {
  /**
   * Name of the operation, for instance `listWebhooks`. Unique in the product: clients have a function of this name.
   */
  readonly id: string;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** The whole path with the names of its parameters, in the form of Express: `/api/webhooks/:id`. */
  readonly path: string;
  /** Purpose of the route in a few words without a full stop. */
  readonly summary: string;
  /** Details that the summary leaves out, for callers. */
  readonly about?: string;
  /**
   * Number of requests that one request counts for in its caller's limit; absent: one. It is in the order of the
   * milliseconds of processor that the request takes here and in the database. Of requests that cost more than one, few
   * run at a time (request-turns.ts).
   */
  readonly cost?: number;
  /** In its place, for requests with a parameter in the query, by its name: the most of those that are there. */
  readonly costWith?: Readonly<Record<string, number>>;
  /** Handlers that a request passes before the route's own, behind those of its group. */
  readonly through?: readonly RequestHandler[];
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** Example of a body that the schema lets in. A test sends it, so it is true. */
  readonly example?: object;
  /** Media type of the body when that is not JSON. */
  readonly bodyType?: string;
  /** Body of a success; absent: no body, or one that the handler sends itself. */
  readonly answer?: z.ZodType<unknown, Answer>;
  /** Media type of the answer when that is not JSON. */
  readonly answerType?: string;
  /** Besides, the handler answers callers who accept `text/event-stream` with 200 and server-sent events. */
  readonly streams?: true;
  /** Besides, the handler answers a query with `format` with a file, each page in a turn of its own (export.ts). */
  readonly exports?: true;
  /** Status of a success. When there are several, the handler sets any but the first. Absent: 200. */
  readonly status?: number | readonly number[];
  /** Gives the answer an ETag, and answers If-None-Match with 304. */
  readonly hasVersion?: true;
  /** Declares that the handler heeds If-Match. */
  readonly takesIfMatch?: true;
  /** Codes of the route's problems, without those that every such request may meet. */
  readonly problems?: readonly ProblemCode[];
  /** Another operation does the same. The route answers for one release more, marked so, and no document has it. */
  readonly isRetired?: true;
  /** Answer to bad requests instead of a problem, when a standard requires it. */
  readonly refusal?: { readonly statuses: readonly number[]; readonly answer: z.ZodType };
}

/** Request and response of a handler, with the checked input. */
export interface Exchange<Path extends string, Body, Query> {
  readonly req: Request<Parameters<Path>>;
  readonly res: Response;
  /** Returns the body, checked when the handler reads it: a caller who may not ask at all is refused first. */
  readonly body: () => Body;
  /** Returns the query, in the same way. */
  readonly query: () => Query;
  /** Aborts when the caller has hung up, or has waited for too long. Reads end with it, and writes never heed it. */
  readonly signal: AbortSignal;
  /** Runs work of an answer that lasts too long for one turn when it is its caller's turn. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Names of the parameters in a path: `'/api/webhooks/:id'` has `{ id: string }`. */
type Parameters<Path extends string> = Readonly<Record<ParameterNames<Path>, string>>;

type ParameterNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Result of a handler: nothing when the handler has sent the answer itself, or when there is none. */
type Answered<Answer> = unknown extends Answer ? void : Answer | undefined;

const routes = new WeakMap<Router, Route[]>();

/** Value of `Deprecation` (RFC 9745), for what the next release refuses; the moment is in seconds. */
export const DEPRECATED = '@1796083200';
/** As nginx has it: the caller hung up first. */
export const HUNG_UP = 499;
const EVENTS = 'text/event-stream';

/** Mounts a route on its router, in the order of the calls: the first that fits a path answers. */
export function mount<const Path extends string, Body, Query, Answer>(
  router: Router,
  route: Route<Body, Query, Answer> & { readonly path: Path },
  handle: (exchange: Exchange<Path, Body, Query>) => Promise<Answered<Answer>> | Answered<Answer>,
): void {
  routes.set(router, [...routesOf(router), route]);
  const [status = 200] = [route.status ?? 200].flat();
  const read = <T>(schema: z.ZodType<T> | undefined, input: unknown): T => {
    if (schema) return parse(schema, input ?? {});
    throw new Error(`${route.id} reads what it does not describe.`);
  };

  // A stream lasts too long for a turn; its number is bounded elsewhere.
  const streams = route.streams === true || route.answerType === EVENTS;

  router[route.method](route.path as string, ...(route.through ?? []), async (req, res) => {
    res.status(status);
    if (route.isRetired) res.set('Deprecation', DEPRECATED);
    refuseUnstorable(req.params);
    const endless = streams || (route.exports === true && req.query['format'] !== undefined);
    const { signal, cut, end } = requestSignal(res, { endless });
    const turn: Exchange<Path, Body, Query>['turn'] = (work) => turnOf(res)(work, signal);
    const exchange: Exchange<Path, Body, Query> = {
      req: req as unknown as Request<Parameters<Path>>,
      res,
      body: () => read(route.body, req.body),
      query: () => {
        refuseMisencoded(req.url.split('?', 2)[1] ?? '');
        return read(route.query, req.query);
      },
      signal,
      turn,
    };
    const work = async (): Promise<unknown> => handle(exchange);
    try {
      const answer = await (endless ? work() : turn(work));
      if (answer !== undefined) sendJson(res, answer);
      else if (!res.headersSent) res.end();
    } catch (error) {
      if (!cut(error)) throw error;
      if (!res.destroyed) throw signal.reason;
      // Handlers in front that wait for the end of the answer are the only ones to hear it.
      res.status(HUNG_UP).end();
    } finally {
      end();
    }
  });
}

/** Returns how many requests one counts for: by its route and the parameters of its query. */
export function requestCost(
  { cost = 1, costWith = {} }: Pick<Route, 'cost' | 'costWith'>,
  query: Readonly<Record<string, unknown>>,
): number {
  const given = Object.entries(costWith).filter(([name]) => query[name] !== undefined);
  return given.length === 0 ? cost : Math.max(...given.map(([, times]) => times));
}

/** Returns the descriptions of what is mounted on a router, in order. */
export const routesOf = (router: Router): readonly Route[] => routes.get(router) ?? [];

/** Returns the schema of one page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .describe('The `cursor` of the next page; null: this was the last.'),
  });

/** The schema of an object whose members another standard describes. */
export const jsonObject = z.custom<object>().meta({ type: 'object' });

/** Sends JSON with a line end, so that the prompt of a shell stands on a line of its own. */
function sendJson(res: Response, answer: unknown): void {
  if (!res.hasHeader('content-type')) res.type('json');
  res.send(`${JSON.stringify(answer)}\n`);
}
