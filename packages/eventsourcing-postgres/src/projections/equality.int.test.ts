import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import fc from 'fast-check';
import { closed, newNote, opened, smudged, useNotes, written } from '../../test/note-stage.js';
import { type NoteEvent } from '../../test/notes.mjs';
import { rebuildProjection } from './rebuild.js';

const notes = useNotes();

const NOTES = 4;

/** A transaction of another test, in any database of the cluster, holds readers up until it ends. */
const PATIENT = { deadlineMs: 30_000 };
const TEST_MS = 180_000;

/** What a person may do to a note, and how much of it is one append. */
const event = fc.oneof(
  fc.string({ maxLength: 5, unit: 'grapheme' }).map((text) => opened(clean(text))),
  fc.string({ maxLength: 5, unit: 'grapheme' }).map((text) => written(clean(text))),
  fc.constant(smudged('?')),
  fc.constant(closed),
);
const append = fc.record({
  note: fc.nat({ max: NOTES - 1 }),
  events: fc.array(event, { minLength: 1, maxLength: 4 }),
});
const history = fc.array(append, { minLength: 1, maxLength: 25 });

describe('whatever happens', () => {
  it(
    'the asynchronous rows become the inline ones, and a rebuild finds nothing to change',
    async () => {
      const replica = notes.replica();
      await fc.assert(
        fc.asyncProperty(history, fc.integer({ min: 1, max: 7 }), async (appends, batchMax) => {
          const ids = Array.from({ length: NOTES }, newNote);
          const running = replica.start(undefined, batchMax);
          await happen(replica, ids, appends);
          await eventually(caughtUp, PATIENT);
          await same();
          await running.stop();
          for (const table of ['notes_inline', 'notes_later']) {
            for await (const { phase, changes } of rebuildProjection(replica.set, table)) {
              if (phase === 'done') expect(changes).toEqual({ added: 0, changed: 0, removed: 0 });
            }
          }
        }),
        { numRuns: 12, endOnFailure: true },
      );
    },
    TEST_MS,
  );
});

/**
 * A note that was opened and closed leaves no row: rows alone do not say that everything was applied.
 * Without a checkpoint nothing was: the projection may not have begun yet.
 */
async function caughtUp(): Promise<void> {
  const { rows } = await notes.database().pool.query(
    `select e.position from events e
       left join projection_checkpoints c on c.name = 'notes_later' and c.live
      where c.name is null or (e.tx, e.position) > (c.tx, c.position)`,
  );
  expect(rows).toEqual([]);
}

async function same(): Promise<void> {
  expect(await notes.rows('notes_later')).toEqual(await notes.rows('notes_inline'));
}

/** The appends of one note in their order, those of several at the same time. */
async function happen(
  replica: ReturnType<typeof notes.replica>,
  ids: readonly string[],
  appends: readonly { readonly note: number; readonly events: readonly NoteEvent[] }[],
): Promise<void> {
  await Promise.all(
    ids.map(async (id, note) => {
      for (const { events } of appends.filter((one) => one.note === note)) {
        await replica.write(id, ...events);
      }
    }),
  );
}

/** Postgres stores no NUL in text. */
const clean = (text: string): string => text.replaceAll('\0', '');
