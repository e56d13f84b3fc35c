/** A name as columns and JSON have it: `rateLimit` is `rate_limit`. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

export type SnakeCased<Fields> = {
  readonly [Name in keyof Fields & string as SnakeCase<Name>]: Fields[Name];
};

export const snakeCase = <Name extends string>(name: Name): SnakeCase<Name> =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<Name>;

export const snakeCased = <Fields extends object>(fields: Fields): SnakeCased<Fields> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [snakeCase(name), value]),
  ) as SnakeCased<Fields>;

/** A name as code has it: `rate_limit` is `rateLimit`. */
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

export type CamelCased<Fields> = {
  readonly [Name in keyof Fields & string as CamelCase<Name>]: Fields[Name];
};

/** Returns a row with its columns under the names that code has for them. */
export const camelCased = <Row extends object>(row: Row): CamelCased<Row> =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase()),
      value,
    ]),
  ) as CamelCased<Row>;
