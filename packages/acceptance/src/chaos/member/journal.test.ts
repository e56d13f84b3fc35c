import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Entry, readEntries, writeEntry } from './journal.js';
import { drawTurn } from './turns.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a writer's history", () => {
  it('survives a kill in the middle of a line', () => {
    const file = path.join(folder, 'writer-1.jsonl');
    expect(readEntries(file)).toEqual([]);
    writeEntry(file, asked(1));
    appendFileSync(file, '\n{"kind":"ask');
    writeEntry(file, asked(2));
    expect(readEntries(file)).toEqual([asked(1), asked(2)]);
  });
});

describe("a writer's turn", () => {
  it('is the same in each of its lives', () => {
    expect(drawTurn(7, 'writer-1', 3)).toEqual(drawTurn(7, 'writer-1', 3));
    expect(drawTurn(7, 'writer-1', 3)).not.toEqual(drawTurn(7, 'writer-2', 3));
  });

  it('appends to one stream or to two, alone or in a batch, and is repeated now and then', () => {
    const turns = Array.from({ length: 100 }, (_, n) => drawTurn(7, 'writer-1', n));
    const shapes = turns.map(({ requests }) => requests.map(({ parts }) => parts.length).join());
    expect(new Set(shapes)).toEqual(new Set(['1', '2', '1,1,1']));
    expect(new Set(turns.map(({ isRepeated }) => isRepeated))).toEqual(new Set([true, false]));
  });
});

const asked = (turn: number): Entry => ({ kind: 'asked', turn, requests: [] });
