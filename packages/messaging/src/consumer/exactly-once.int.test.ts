import { expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import fc from 'fast-check';
import { text } from '../../test/consumer-stage.js';
import { type Inbox, useInboxes } from '../../test/inbox.js';
import { RecordError } from './record-error.js';

const RUNS = 60;
const { open } = useInboxes();

it('each record has one effect, whatever happens on the way', async () => {
  await fc.assert(
    fc.asyncProperty(programs, async ({ names, behaviours, sizes }) => {
      const inbox = await openInbox((name) => behaviours[names.indexOf(name)] ?? 'good');
      for (let at = 0, round = 0; at < names.length; round++) {
        const size = sizes[round % sizes.length] ?? 1;
        const batch = names.slice(at, at + size);
        await inbox.deliver(...batch.map(message));
        at += batch.length;
      }
      const once = [...new Set(names)];
      const good = once.filter((name) =>
        ['good', 'away'].includes(behaviours[names.indexOf(name)] ?? 'good'),
      );
      const letters = async () => (await inbox.ops.list(inbox, { limit: 200 })).items;

      expect((await inbox.effects()).toSorted()).toEqual(good.toSorted());
      const open = await letters();
      expect(open).toHaveLength(once.length - good.length);

      inbox.mend();
      await inbox.ops.redrive({ ids: open.map(({ id }) => id) }, { by: 'operator' });
      expect((await inbox.effects()).toSorted()).toEqual(once.toSorted());
      expect(await letters()).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

/**
 * Behaviour of the handler for a record until the record is mended. `rejected`: the handler sets the record aside;
 * `bad`: it throws a RecordError; `broken`: it throws another error; `away`: the infrastructure fails, once.
 */
type Behaviour = 'good' | 'rejected' | 'bad' | 'broken' | 'away';

const behaviour = fc.constantFrom<Behaviour[]>(
  ...(['good', 'good', 'good', 'rejected', 'bad', 'broken', 'away'] as const),
);

/**
 * Generates names of records: a1, a2, b1 … Records of the keys a to c are counted; those of d are known by their ids.
 * Some records come again.
 */
const programs = fc
  .record({
    keys: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 }),
    again: fc.array(fc.nat(), { maxLength: 6 }),
    behaviours: fc.array(behaviour, { minLength: 26, maxLength: 26 }),
    sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 }),
  })
  .map(({ keys, again, ...rest }) => {
    const counts = new Map<string, number>();
    const once = keys.map((key) => {
      const n = (counts.get(key) ?? 0) + 1;
      counts.set(key, n);
      return `${key}${n}`;
    });
    const repeated = again.flatMap((n) => once[n % Math.max(1, once.length)] ?? []);
    return { ...rest, names: [...once, ...repeated] };
  });

function message(name: string) {
  const [key, n] = [name.slice(0, 1), name.slice(1)];
  const headers = key === 'd' ? { ce_source: 's', ce_id: n } : { ce_sequence: n };
  return { key, headers, value: Buffer.from(name) };
}

async function openInbox(behaviourOf: (name: string) => Behaviour) {
  const wasAway = new Set<string>();
  let isMended = false;
  const inbox: Inbox = await open({
    dropDuplicates: true,
    handle: async (records, tx, setAside) => {
      for (const record of records) {
        const name = text(record);
        const takes = isMended ? 'good' : behaviourOf(name);
        if (takes === 'rejected') {
          setAside(record, new RecordError('rejected', 'It is rejected.'));
          continue;
        }
        await inbox.store([record], tx);
        if (takes === 'bad') throw new RecordError('refused', 'It is refused.');
        if (takes === 'broken') throw new TypeError('a mistake of the handler');
        if (takes === 'away' && !wasAway.has(name)) {
          wasAway.add(name);
          throw new AppError('service_unavailable', 'Auth is away.');
        }
      }
    },
  });
  const mend = () => {
    isMended = true;
  };
  return { ...inbox, mend };
}
