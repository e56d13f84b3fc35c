import { z } from 'zod';

/** Says what is wrong with data, in words that quote nothing of them. */
export class DataError extends Error {}

/** Schema that `data` is checked by. */
export interface DataSchema {
  safeParse(data: unknown): {
    readonly success: boolean;
    readonly error?: z.ZodError | DataError | undefined;
  };
}

/** Schemas of `data`, by kind. */
export type DataSchemas<Kind extends string = string> = Readonly<Record<Kind, DataSchema>>;

/** Tells why data do not fit. Zod's own words may quote the data, so its issues are told by their paths. */
export const faultOf = (error: z.ZodError | DataError | undefined): string =>
  error instanceof z.ZodError
    ? `${error.issues.map(({ path }) => path.join('.')).join(', ')} must be there; counts are non-negative integers.`
    : (error?.message ?? '');
