/** A query for `pg`, without its name. */
export interface BoundStatement {
  readonly text: string;
  readonly values: unknown[];
}

/** Gives a statement the values of its parameters, by name. */
export interface NamedParameters {
  (values: Readonly<Record<string, unknown>>): BoundStatement;
  /** Names in the order in which their values are sent. */
  readonly names: readonly string[];
}

/**
 * Tokens of SQL: those that may hold a colon that begins no parameter (strings, quoted names, comments, casts), then a
 * parameter, and a number that was written by hand.
 */
const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:(?<name>[a-z_][a-zA-Z0-9_]*)|(?<number>\$\d+)/g;

/**
 * Prepares SQL whose parameters are written `:name` for `pg`, which knows `$1` alone. The text is parsed once and stays
 * the same for all values, so that a statement can be prepared under a name; a parameter that occurs twice is sent
 * once. Fragments that use the same names can be combined in any order.
 *
 * Knex has named bindings too, and does not fit: it numbers each occurrence anew, reads the text for every call, and
 * prepares nothing.
 *
 * Throws a TypeError for a value that the text does not name, and for a name without a value (`null` is a value).
 */
export function namedParameters(sql: string): NamedParameters {
  const names: string[] = [];
  const text = sql.replaceAll(TOKENS, (token, ...rest) => {
    const { name, number } = rest.at(-1) as { name?: string; number?: string };
    if (number !== undefined) throw new TypeError(`Parameter ${number} has no name.`);
    if (name === undefined) return token;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const known = new Set(names);

  const bind = (values: Readonly<Record<string, unknown>>): BoundStatement => {
    for (const name of Object.keys(values)) {
      if (!known.has(name)) throw new TypeError(`The statement has no parameter :${name}.`);
    }
    return { text, values: names.map((name) => valueOf(values, name)) };
  };
  return Object.assign(bind, { names });
}

function valueOf(values: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = values[name];
  if (value === undefined) throw new TypeError(`Parameter :${name} has no value.`);
  return value;
}
