import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { EXPORT_ROWS_MAX, type ExportFormat, sendExport } from './export.js';

interface Row {
  readonly id: string;
  readonly note: string | null;
}

const rows = (from: number, count: number): readonly Row[] =>
  Array.from({ length: count }, (_, n) => ({ id: String(from + n), note: null }));

describe('an export', () => {
  it('is CSV with its fields in order, where no cell is a formula', async () => {
    const items = [
      { id: 'a', note: '=HYPERLINK("https://x.example")' },
      { id: 'b,c', note: 'two\nlines' },
      ...['+1', '-1', '@a', '\ta', '\ra'].map((note) => ({ id: 'd', note })),
      { id: 'e', note: null },
    ];
    const { head, text } = await exported('csv', async () => ({ items }));
    expect(head).toEqual(['rows.csv', 'text/csv']);
    expect(text).toBe(
      [
        'id,note',
        `a,"'=HYPERLINK(""https://x.example"")"`,
        '"b,c","two\nlines"',
        "d,'+1",
        "d,'-1",
        "d,'@a",
        "d,'\ta",
        `d,"'\ra"`,
        'e,',
        '',
      ].join('\r\n'),
    );
  });

  it('is JSON in lines, page after page until none is left', async () => {
    const asked: unknown[] = [];
    const { text } = await exported('jsonl', async (after) => {
      asked.push(after);
      return after === undefined
        ? { items: rows(0, 2), nextAfter: '1' }
        : { items: rows(2, 1), nextAfter: undefined };
    });
    expect(asked).toEqual([undefined, '1']);
    expect(text).toBe('{"id":"0","note":null}\n{"id":"1","note":null}\n{"id":"2","note":null}\n');
  });

  it('ends at its bound of rows, and of pages that are empty', async () => {
    let pages = 0;
    const page = (count: number) => async () => {
      pages += 1;
      return { items: rows(0, count), nextAfter: 'more' };
    };
    const { text } = await exported('jsonl', page(300));
    expect(text.match(/\n/g)).toHaveLength(EXPORT_ROWS_MAX);
    expect(pages).toBe(Math.ceil(EXPORT_ROWS_MAX / 300));
    pages = 0;
    await exported('jsonl', page(0));
    expect(pages).toBe(100);
  });

  it('reads no page before the one before it was taken', async () => {
    let pages = 0;
    const page = async () => {
      pages += 1;
      return { items: rows(0, 1), nextAfter: pages < 3 ? 'more' : undefined };
    };
    const { res, ended } = answer(false);
    const sent = sendExport(res, new AbortController().signal, { ...options('jsonl'), page });
    for (let n = 1; n <= 3; n += 1) {
      await new Promise(setImmediate);
      expect(pages).toBe(n);
      res.emit('drain');
    }
    await sent;
    expect(ended()).toBe(true);
  });

  it('refuses as any other answer does when its first page is refused', async () => {
    const refused = exported('csv', async () => Promise.reject(new Error('no')));
    await expect(refused).rejects.toThrow('no');
  });
});

const options = (format: ExportFormat) =>
  ({ format, name: 'rows', columns: ['id', 'note'] }) as const;

async function exported(
  format: ExportFormat,
  page: (after?: string) => Promise<{ items: readonly Row[]; nextAfter?: string | undefined }>,
) {
  const { res, told, head } = answer(true);
  await sendExport<Row>(res, new AbortController().signal, { ...options(format), page });
  return { head, text: told.join('') };
}

/** An answer whose reader takes everything at once, or nothing before it says so. */
function answer(takes: boolean) {
  const told: string[] = [];
  const head: string[] = [];
  let isEnded = false;
  const res = Object.assign(new EventEmitter(), {
    type: (type: string) => (head.push(type), res),
    attachment: (name: string) => (head.push(name), res),
    write: (text: string) => (told.push(text), takes),
    end: () => (isEnded = true),
  }) as unknown as Response;
  return { res, told, head, ended: () => isEnded };
}
