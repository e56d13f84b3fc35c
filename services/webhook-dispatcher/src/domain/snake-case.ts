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
