import { expect, it } from '@jest/globals';
import { newNote, opened, useNotes } from '../../test/note-stage.js';
import { dropAbandonedRebuilds } from './abandoned-rebuilds.js';
import { listProjections } from './list-projections.js';
import { rebuildProjection } from './rebuild.js';

const notes = useNotes();

it('a rebuild that was left a day ago is dropped; a younger one and one under way are not', async () => {
  const { set, pool, write } = notes.replica();
  await write(newNote(), opened('x'));
  for (const name of ['notes_inline', 'notes_later']) {
    for await (const _ of rebuildProjection(set, name)) break;
  }
  await lastMoved('notes_later', 23);
  await lastMoved('notes_inline', 25);
  const goingOn = rebuildProjection(set, 'notes_inline');
  await goingOn.next();
  expect(await dropAbandonedRebuilds(pool)).toEqual([]);
  await goingOn.return();

  expect(await dropAbandonedRebuilds(pool)).toEqual(['notes_inline']);
  expect(await tables()).toEqual(['notes_later_v2']);
  const states = await listProjections(set);
  expect(states.map(({ rebuild }) => rebuild?.version)).toEqual([undefined, 2, undefined]);
  expect(await dropAbandonedRebuilds(pool)).toEqual([]);
});

const lastMoved = (name: string, hoursAgo: number) =>
  notes.database().pool.query(
    `update projection_checkpoints set updated_at = now() - make_interval(hours => $2)
        where name = $1 and not live`,
    [name, hoursAgo],
  );

async function tables(): Promise<readonly string[]> {
  const { rows } = await notes
    .database()
    .pool.query<{ tablename: string }>(
      `select tablename from pg_tables where tablename ~ '_v[0-9]+$' order by 1`,
    );
  return rows.map(({ tablename }) => tablename);
}
