import { describe, expect, it } from '@jest/globals';
import { circuitJournal } from './circuit-journal.js';
import type { CircuitChange } from './dispatch/circuits.js';

const open: CircuitChange = { to: 'open', probeAt: new Date(30_000), restMs: 30_000 };

describe('the journal of circuits', () => {
  it('asks nothing of the webhook for one that is open already and rests anew', async () => {
    const { changed, drained, done } = journal();
    changed('a', open);
    changed('a', { to: 'half-open' });
    changed('a', { ...open, restMs: 60_000 });
    changed('a', { to: 'closed' });
    changed('a', open);
    await drained();
    expect(done).toEqual([
      'a OpenCircuit',
      'a rests 30000',
      'a rests 60000',
      'a CloseCircuit',
      'a OpenCircuit',
      'a rests 30000',
    ]);
  });

  it('is waited for until what was told is stored, whatever could not be', async () => {
    const { changed, drained, done, errors } = journal();
    changed('unknown', open);
    changed('a', open);
    await drained();
    expect(done).toEqual(['a OpenCircuit', 'a rests 30000']);
    expect(errors).toEqual([new Error('There is no such webhook.')]);
  });
});

/** A journal on webhooks that know of their circuit alone. */
function journal() {
  const opened = new Set<string>();
  const done: string[] = [];
  const errors: unknown[] = [];
  const { changed, drained } = circuitJournal({
    async handle(id, { type }) {
      await answered();
      if (id === 'unknown') throw new Error('There is no such webhook.');
      done.push(`${id} ${type}`);
      if (type === 'OpenCircuit') opened.add(id);
      else opened.delete(id);
    },
    async keepRest(id, { restMs }) {
      if (opened.has(id)) done.push(`${id} rests ${restMs}`);
      return opened.has(id);
    },
    now: () => new Date(0),
    onError: (error) => void errors.push(error),
  });
  return { changed, drained, done, errors };
}

/** As long as a database may take. */
const answered = () => new Promise((resolve) => setTimeout(resolve, 5));
