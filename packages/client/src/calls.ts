import type { paths } from './gen/openapi.js';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The paths that have this method. */
export type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { readonly [_ in M]: object } ? Path : never;
}[keyof paths];

type Operation<Path extends keyof paths, M extends Method> = M extends keyof paths[Path]
  ? paths[Path][M]
  : never;

/**
 * Arguments of a request: `params` (`path`, `query`, `header`) and `body`, where the operation has them, `signal`, and
 * `headers` of HTTP itself, such as Accept or Last-Event-ID.
 */
export type Init<Path extends keyof paths, M extends Method> = Params<Operation<Path, M>> &
  Bodied<Operation<Path, M>> & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  };

type Params<Op> = Op extends { readonly parameters: infer P }
  ? Partial<P> extends P
    ? { readonly params?: P }
    : { readonly params: P }
  : unknown;

type Bodied<Op> = Op extends { readonly requestBody: Content<infer Json> }
  ? { readonly body: Json }
  : Op extends { readonly requestBody?: Content<infer Json> }
    ? { readonly body?: Json }
    : Op extends { readonly requestBody: Form<infer Fields> }
      ? { readonly body: Fields }
      : unknown;

interface Content<Json> {
  readonly content: { readonly 'application/json': Json };
}

interface Form<Fields> {
  readonly content: { readonly 'application/x-www-form-urlencoded': Fields };
}

/** Body of a request. */
export type Body<Path extends keyof paths, M extends Method> =
  Init<Path, M> extends { readonly body?: infer Json } ? NonNullable<Json> : never;

/** Arguments that may be left out where the operation needs none. */
export type Rest<I> = Partial<I> extends I ? [init?: I] : [init: I];

type JsonOf<Response> = Response extends Content<infer Json> ? Json : undefined;

/** Answer to a request; undefined where the API sends no body (204). */
export type Answer<Path extends keyof paths, M extends Method> =
  Operation<Path, M> extends {
    readonly responses: infer R;
  }
    ? JsonOf<R[keyof R & (200 | 201 | 202 | 204)]>
    : never;

export type Call<M extends Method> = <Path extends PathsWith<M>>(
  path: Path,
  ...init: Rest<Init<Path, M>>
) => Promise<Answer<Path, M>>;

/** The paths of lists. */
export type ListPath = {
  [Path in PathsWith<'get'>]: Answer<Path, 'get'> extends { readonly items: readonly unknown[] }
    ? Path
    : never;
}[PathsWith<'get'>];

export type ItemOf<Path extends ListPath> =
  Answer<Path, 'get'> extends { readonly items: readonly (infer Item)[] } ? Item : never;
