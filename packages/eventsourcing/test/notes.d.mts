import type { Event, EventCodec, Projection } from '../src/index.js';

export type NoteEvent =
  | Event<'opened', { title: string }>
  | Event<'written', { word: string }>
  | Event<'smudged', { word: string }>
  | Event<'halted'>
  | Event<'closed'>;

export interface NoteRow {
  readonly title: string;
  readonly words: readonly string[];
  readonly version: number;
  readonly changed_at: Date;
}

export interface NoteReading {
  /** A clean reader throws at what is smudged. */
  readonly reads?: 'clean' | 'smudged';
  /** Called in the middle of a transaction. */
  readonly onHalted?: () => void;
}

export const notesIn: (table: string, reading?: NoteReading) => Projection<NoteRow, NoteEvent>;

export const noteCodec: EventCodec<NoteEvent>;
