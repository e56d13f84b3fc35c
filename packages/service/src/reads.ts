import type { AppError } from '@junction/errors';
import type { Queryable } from '@junction/eventsourcing/postgres';
import type { Response, Router } from 'express';
import type pg from 'pg';
import { z } from 'zod';
import { setEntityTag } from './http/entity-tag.js';
import { type Exchange, mount, pageOf, type Route } from './http/mount.js';
import { poolUntil } from './platform/postgres/pool-until.js';

/** Schema of a moment in a row: a Date, which JSON writes as RFC 3339 has it. */
export const moment = z.iso.datetime() as unknown as z.ZodType<string, Date>;

type Shown = z.ZodType<unknown, object>;
type Values = Readonly<Record<string, unknown>>;
type Facts = Readonly<Record<string, string | number | boolean>>;
type Run<Row> = (db: Queryable, values: Values) => Promise<{ readonly rows: readonly Row[] }>;

/** A read that nobody decides anything on: an item of its answer in the wire's names, and what yields such items. */
export interface Query<Item extends Shown, Row = z.input<Item>> {
  readonly item: Item;
  /** Returns the rows of the statement for these values. */
  readonly rows: (db: Queryable, values: Values) => Promise<Row[]>;
  readonly show: (row: Row) => z.input<Item>;
}

/**
 * Makes a query of the schema of an item and a statement, such as `statement('select …')`. The statement yields the
 * members of the item; `show` makes them of rows of another kind.
 */
export function query<Item extends Shown>(item: Item, run: Run<z.input<Item>>): Query<Item>;
export function query<Item extends Shown, Row>(
  item: Item,
  run: Run<Row>,
  show: (row: Row) => z.input<Item>,
): Query<Item, Row>;
export function query<Item extends Shown>(
  item: Item,
  run: Run<z.input<Item>>,
  show = (row: z.input<Item>) => row,
): Query<Item> {
  return { item, rows: async (db, values) => [...(await run(db, values)).rows], show };
}

/** A single item: the query, and the problem where it yields none. */
export interface One<Item extends Shown, Row = z.input<Item>> {
  readonly read: Query<Item, Row>;
  /** Makes the problem for what there is not, or what is another user's. */
  readonly missing: () => AppError;
  /** Returns the version that a change may name in If-Match; undefined: there is nothing to change. */
  readonly version?: (row: Row) => number | undefined;
}

/** Returns an item, whose ETag `res` gets if it has a version. AppError of `missing` when there is none. */
export async function readItem<Item extends Shown, Row>(
  { read, missing, version }: One<Item, Row>,
  db: Queryable,
  values: Values,
  res?: Response,
): Promise<z.input<Item>> {
  const [row] = await read.rows(db, values);
  if (row === undefined) throw missing();
  const item = read.show(row);
  const tag = version?.(row);
  // Some of an item changes without its version.
  if (res && tag !== undefined) setEntityTag(res, tag, item);
  return item;
}

/** Dependencies of the routes that read. */
export interface Reading {
  readonly pool: pg.Pool;
  /** Records a read of an operator before it is answered. Absent for the routes of users. */
  readonly record?: (res: Response, method: string, asked: Facts) => Promise<void>;
}

/** Request as the statement and the record see it. */
interface Asked {
  readonly values?: Values;
  /** No personal data: records are kept for ever. */
  readonly recorded?: Facts;
}

interface ReadRoute<Path extends string, Params>
  extends Omit<Route<unknown, Params>, 'method' | 'answer' | 'hasVersion'> {
  readonly path: Path;
  /** Says what a request asks for. Absent: there is nothing to say. */
  readonly asks?: (exchange: Exchange<Path, unknown, Params>) => Asked;
}

interface ListRoute<Path extends string, Params, Item extends Shown, Row>
  extends ReadRoute<Path, Params> {
  readonly read: Query<Item, Row>;
  /** Returns the cursor of the page after this row. The value `limit` is the size of a page then. */
  readonly next?: (last: Row) => string;
  /** Name of the list in an answer that is no page. */
  readonly member?: string;
}

/** Mounts the route of a list. It is a page (`pageOf`), unless its answer names the list itself. */
export function readList<const Path extends string, Params, Item extends Shown, Row>(
  router: Router,
  reading: Reading,
  { read: { item, rows: read, show }, next, member, ...route }: ListRoute<Path, Params, Item, Row>,
): void {
  const answer = member === undefined ? pageOf(item) : z.object({ [member]: z.array(item) });
  mountRead(router, reading, { ...route, answer }, async (db, values) => {
    const limit = next && Number(values['limit']);
    const wanted = limit === undefined ? values : { ...values, limit: limit + 1 };
    const found = await read(db, wanted);
    const rows = found.slice(0, limit);
    const last = found.length > rows.length ? rows.at(-1) : undefined;
    const items = rows.map(show);
    return member === undefined
      ? { items, next_cursor: last === undefined ? null : (next?.(last) ?? null) }
      : { [member]: items };
  });
}

/** Mounts the route of a single item. */
export function readOne<const Path extends string, Params, Item extends Shown, Row>(
  router: Router,
  reading: Reading,
  { read, missing, version, ...route }: ReadRoute<Path, Params> & One<Item, Row>,
): void {
  const one = { read, missing, ...(version && { version }) };
  const tagged = version && ({ hasVersion: true } as const);
  const described = { ...route, ...tagged, answer: read.item };
  mountRead(router, reading, described, async (db, values, res) => readItem(one, db, values, res));
}

/** Mounts a read that ends with its request, and that is recorded before it. */
function mountRead<const Path extends string, Params>(
  router: Router,
  { pool, record }: Reading,
  {
    asks,
    ...route
  }: ReadRoute<Path, Params> & Pick<Route<unknown, Params, object>, 'answer' | 'hasVersion'>,
  answerOf: (db: pg.Pool, values: Values, res: Response) => Promise<object>,
): void {
  const method = route.id.replace(/^./, (first) => first.toUpperCase());
  mount(router, { ...route, method: 'get' }, async (exchange) => {
    const { values = {}, recorded = {} } = asks?.(exchange) ?? {};
    await record?.(exchange.res, method, recorded);
    return answerOf(poolUntil(pool, exchange.signal), values, exchange.res);
  });
}
