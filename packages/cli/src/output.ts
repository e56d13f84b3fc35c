/** Output of a command. */
export interface Output {
  /** Results: what a script reads. */
  readonly out: (text: string) => void;
  /** Writes further information for a person. */
  readonly note: (text: string) => void;
  /** True when a person watches, so that progress may be drawn. */
  readonly isTerminal: boolean;
}

/** Text of others must not move the cursor, or recolour what stands above it. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });

/** Columns under their titles; numbers to the right. Nothing to show: `empty`. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  empty: string,
): string {
  if (rows.length === 0) return `${empty}\n`;
  const lines = [titles, ...rows].map((row) => row.map((cell) => printable(String(cell))));
  const widths = titles.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const isNumber = titles.map((_, column) => typeof rows[0]?.[column] === 'number');
  const text = (line: readonly string[]) =>
    line
      .map((cell, column) =>
        isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${lines.map(text).join('\n')}\n`;
}

/** Columns of a table by their titles: a member of the item, or a function that makes a cell of the item. */
export type Columns<Item> = Readonly<
  Record<string, (keyof Item & string) | ((item: Item) => string | number)>
>;

/** Shows items as a table, with nothing where a member is null. */
export const listTable = <Item>(
  columns: Columns<Item>,
  items: readonly Item[],
  empty: string,
): string => {
  const cells = Object.values(columns);
  const row = (item: Item) =>
    cells.map((cell) => (typeof cell === 'function' ? cell(item) : (item[cell] ?? ''))) as (
      | string
      | number
    )[];
  return table(Object.keys(columns), items.map(row), empty);
};

/** Formats a record with one field on each line; fields without a value are left out. */
export function fields(values: Readonly<Record<string, string | number | undefined>>): string {
  const shown = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown
    .map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value))}\n`)
    .join('');
}

/** JSON for a person: indented, and each line printable. */
export const pretty = (value: unknown): string =>
  `${(JSON.stringify(value, null, 2) ?? 'null').split('\n').map(printable).join('\n')}\n`;

/** Returns an answer of the API with its names in camelCase, and without what is null. */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [
        name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        camelCased(member),
      ]),
  );
}

/** Returns a record without its members that are null. */
export const present = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([, member]) => member !== null));

/** JSON for a machine: one line. */
export const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
