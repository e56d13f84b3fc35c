import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { eventStoreDatabase } from '../../../test/counters.js';
import { type Event, jsonCodec, type Projection, schema } from '../../index.js';
import { postgresEventStore } from '../store/event-store.js';
import { rowProjection } from './row-projection.js';

type ListEvent =
  | Event<'opened', { title: string }>
  | Event<'noted', { text: string }>
  | Event<'closed'>;

interface ListRow {
  readonly title: string;
  readonly notes: readonly string[];
  readonly lengths: readonly { readonly length: number }[];
  readonly seal: Buffer;
  readonly version: number;
  readonly changed_at: Date;
}

const lists: Projection<ListRow, ListEvent> = {
  table: 'lists',
  key: 'list_id',
  aggregate: 'list',

  evolve(row, { type, data }, { version, recordedAt }) {
    const place = { version, changed_at: recordedAt };
    switch (type) {
      case 'opened':
        return { title: data.title, notes: [], lengths: [], seal: Buffer.of(0, 255), ...place };
      case 'noted':
        return row && { ...row, ...withNote(row, data.text), ...place };
      case 'closed':
        return undefined;
    }
  },
};

const database = useDatabase(eventStoreDatabase);

beforeAll(async () => {
  await database().pool.query(`
    create table lists (
      list_id    text        primary key,
      title      text        not null unique,
      notes      text[]      not null,
      lengths    jsonb       not null,
      seal       bytea       not null,
      version    integer     not null,
      changed_at timestamptz not null,
      pinned     boolean     not null default false
    )`);
});

describe('an inline projection', () => {
  it('can be read as soon as the append returns, in every column type', async () => {
    const { id, streamId } = newList();
    const { events } = await append(streamId, opened(id), noted('a, "b" {c}'), noted('déjà'));

    expect(await rowOf(id)).toEqual({
      list_id: id,
      title: id,
      notes: ['a, "b" {c}', 'déjà'],
      lengths: [{ length: 10 }, { length: 4 }],
      seal: Buffer.of(0, 255),
      version: 3,
      changed_at: events[2]?.recordedAt,
      pinned: false,
    });
  });

  it('goes on from the row that is there and leaves alone what it does not know', async () => {
    const { id, streamId } = newList();
    await append(streamId, opened(id));
    await database().pool.query('update lists set pinned = true where list_id = $1', [id]);
    await append(streamId, noted('one'));
    expect(await rowOf(id)).toMatchObject({ notes: ['one'], version: 2, pinned: true });
  });

  it('deletes its row when the fold says there is none', async () => {
    const { id, streamId } = newList();
    await append(streamId, opened(id));
    await append(streamId, { type: 'closed', data: {} });
    expect(await rowOf(id)).toBeUndefined();
  });

  it('does not look at streams of other aggregates', async () => {
    const { id } = newList();
    await append(`other-${id}`, opened(id));
    expect(await rowOf(id)).toBeUndefined();
  });

  it('is applied once when the command is repeated', async () => {
    const { id, streamId } = newList();
    await append(streamId, opened(id));
    const again = { streamId, expected: 'any', events: [noted('once')] } as const;
    const commandId = randomUUID();
    await store().append([again], { commandId });
    await store().append([again], { commandId });
    expect(await rowOf(id)).toMatchObject({ notes: ['once'] });
  });

  it('takes the events back when it cannot be written', async () => {
    const [first, second] = [newList(), newList()];
    await append(first.streamId, opened(first.id));
    const sameTitle = append(second.streamId, opened(first.id));

    await expect(sameTitle).rejects.toMatchObject({ code: '23505' });
    expect(await store().load(second.streamId)).toEqual({ history: [], version: 0 });
  });

  it('keeps up with writers that race for the same stream', async () => {
    const { id, streamId } = newList();
    await append(streamId, opened(id));
    await Promise.all(Array.from({ length: 20 }, (_, n) => append(streamId, noted(String(n)))));

    const { history } = await store().load(streamId);
    const texts = history.flatMap((event) => (event.type === 'noted' ? [event.data.text] : []));
    expect(await rowOf(id)).toMatchObject({ notes: texts, version: 21 });
  });
});

const codec = jsonCodec<ListEvent>({
  opened: schema((data) => data as { title: string }),
  noted: schema((data) => data as { text: string }),
  closed: schema(() => ({})),
});

const store = () =>
  postgresEventStore<ListEvent>({
    pool: database().pool,
    codec,
    source: 'junction/test',
    inline: [rowProjection(lists)],
  });

const append = (streamId: string, ...events: readonly ListEvent[]) =>
  store().append([{ streamId, expected: 'any', events }]);

const opened = (title: string): ListEvent => ({ type: 'opened', data: { title } });

const noted = (text: string): ListEvent => ({ type: 'noted', data: { text } });

const withNote = ({ notes, lengths }: ListRow, text: string) => ({
  notes: [...notes, text],
  lengths: [...lengths, { length: text.length }],
});

function newList() {
  const id = randomUUID();
  return { id, streamId: `list-${id}` };
}

async function rowOf(id: string): Promise<unknown> {
  const { rows } = await database().pool.query<object>('select * from lists where list_id = $1', [
    id,
  ]);
  return rows[0];
}
