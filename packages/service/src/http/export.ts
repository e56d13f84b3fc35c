import { once } from 'node:events';
import type { Response } from 'express';

/** Formats of an export with their media types: RFC 4180, and a JSON value a line. */
export const EXPORT_TYPES = {
  csv: 'text/csv',
  jsonl: 'application/jsonl',
} as const;

export type ExportFormat = keyof typeof EXPORT_TYPES;

/** Rows of an export at most: what is behind them is had with the last row as the cursor. */
export const EXPORT_ROWS_MAX = 10_000;
/** Pages that are read at most, because a page of a filter that matches little may be short. */
const PAGES_MAX = 100;

interface Page<Row> {
  readonly items: readonly Row[];
  readonly nextAfter?: string | undefined;
}

export interface Export<Row extends object> {
  readonly format: ExportFormat;
  /** Name of the file, without its ending. */
  readonly name: string;
  /** Fields of a row in their order. */
  readonly columns: readonly (keyof Row & string)[];
  /** Reads the page behind this row; undefined: the first. */
  readonly page: (after: string | undefined) => Promise<Page<Row>>;
}

/**
 * Answers with the rows of a list as a file. A page is read once its reader has taken the one before, so that a slow
 * reader costs a page of memory; a refusal of the first page is answered as any other.
 */
export async function sendExport<Row extends object>(
  res: Response,
  signal: AbortSignal,
  { format, name, columns, page }: Export<Row>,
): Promise<void> {
  const lineOf = format === 'csv' ? (row: Row) => csvLine(columns.map((one) => row[one])) : json;
  let after: string | undefined;
  let left = EXPORT_ROWS_MAX;
  for (let pages = 0; pages < PAGES_MAX && left > 0; pages += 1) {
    const { items, nextAfter } = await page(after);
    if (pages === 0) {
      res.attachment(`${name}.${format}`).type(EXPORT_TYPES[format]);
      if (format === 'csv') res.write(csvLine(columns));
    }
    const lines = items.slice(0, left).map(lineOf).join('');
    if (lines !== '' && !res.write(lines)) await once(res, 'drain', { signal });
    left -= items.length;
    after = nextAfter;
    if (after === undefined) break;
  }
  res.end();
}

const json = (row: object): string => `${JSON.stringify(row)}\n`;

/** A record of RFC 4180. */
const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(',')}\r\n`;

/**
 * A program for tables computes a cell that begins so (OWASP, CSV injection). The apostrophe that goes before it says
 * that it is text.
 */
const FORMULA = /^[=+\-@\t\r]/;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
