import type { MaybeOptionalInit } from 'openapi-fetch';
import type { paths } from './gen/openapi.js';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** The paths that have this method. */
export type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { readonly [_ in M]: object } ? Path : never;
}[keyof paths];

/** What a request takes: `params` (`path`, `query`, `header`), `body`, `signal`; each only where there is one. */
export type Init<Path extends keyof paths, M extends Method> = Pick<
  NonNullable<MaybeOptionalInit<paths[Path], M>>,
  Extract<keyof NonNullable<MaybeOptionalInit<paths[Path], M>>, 'params' | 'body' | 'signal'>
>;

/** Left out where nothing in it is demanded. */
export type Rest<I> = Partial<I> extends I ? [init?: I] : [init: I];

type JsonOf<R> = R extends { readonly content: { readonly 'application/json': infer Json } }
  ? Json
  : undefined;

/** What a request is answered with; undefined where there is nothing to tell (204). */
export type Answer<Path extends keyof paths, M extends Method> = paths[Path][M] extends {
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
