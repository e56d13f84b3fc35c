import type { ProblemCode } from '@junction/errors';
import type { Request, RequestHandler, Response, Router } from 'express';
import { z } from 'zod';
import { parse } from './parse.js';
import { refuseMisencoded, refuseUnstorable } from './text-faults.js';

/** What is said of a route, once: requests are checked by it, handlers are typed by it, documents are made of it. */
export interface Route<Body = unknown, Query = unknown, Answer = unknown> {
  /** The operation's name, for instance `listWebhooks`. Unique in the product: clients have a function of this name. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** As express takes it, whole: `/api/webhooks/:id`. */
  readonly path: string;
  /** What it does, in a few words without a full stop. */
  readonly summary: string;
  /** What the summary leaves out, for who calls it. */
  readonly about?: string;
  /** What a request passes before the handler, behind what its group passes. */
  readonly through?: readonly RequestHandler[];
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** A body that the schema lets in; one that a test sends, so it is true. */
  readonly example?: object;
  /** The media type of the body where that is not JSON. */
  readonly bodyType?: string;
  /** What a success answers; absent: no body, or one that the handler sends itself. */
  readonly answer?: z.ZodType<unknown, Answer>;
  /** The media type of the answer where that is not JSON. */
  readonly answerType?: string;
  /** Of a success; several where the handler chooses: it sets another than the first. Absent: 200. */
  readonly status?: number | readonly number[];
  /** The answer has an ETag, and If-None-Match is answered with 304. */
  readonly hasVersion?: true;
  /** The handler heeds If-Match. */
  readonly takesIfMatch?: true;
  /** Codes of its problems, without those of what every such request passes. */
  readonly problems?: readonly ProblemCode[];
  /** What it answers to bad requests instead of a problem, where a standard says so. */
  readonly refusal?: { readonly statuses: readonly number[]; readonly answer: z.ZodType };
}

/** What a handler is given. */
export interface Exchange<Path extends string, Body, Query> {
  readonly req: Request<Parameters<Path>>;
  readonly res: Response;
  /** The body, checked when it is asked for: who may not ask at all is told that first. */
  readonly body: () => Body;
  /** The query, in the same way. */
  readonly query: () => Query;
}

/** The names in a path: `'/api/webhooks/:id'` has `{ id: string }`. */
type Parameters<Path extends string> = Readonly<Record<ParameterNames<Path>, string>>;

type ParameterNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What a handler gives back: nothing where it has sent the answer itself, or where there is none. */
type Answered<Answer> = unknown extends Answer ? void : Answer | undefined;

const routes = new WeakMap<Router, Route[]>();

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

  router[route.method](route.path as string, ...(route.through ?? []), async (req, res) => {
    res.status(status);
    refuseUnstorable(req.params);
    const answer: unknown = await handle({
      req: req as unknown as Request<Parameters<Path>>,
      res,
      body: () => read(route.body, req.body),
      query: () => {
        refuseMisencoded(req.url.split('?', 2)[1] ?? '');
        return read(route.query, req.query);
      },
    });
    if (answer !== undefined) res.json(answer);
    else if (!res.headersSent) res.end();
  });
}

/** The descriptions of what is mounted on a router, in order. */
export const routesOf = (router: Router): readonly Route[] => routes.get(router) ?? [];

/** The schema of one page of a list. */
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
