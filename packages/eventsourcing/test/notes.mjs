// The read model that the tests of projections keep, in plain JavaScript so that a process of its own
// can run it too.

/** @type {import('./notes.mjs').notesIn} */
export const notesIn = (table, { reads = 'smudged', onHalted = () => {} } = {}) => ({
  table,
  key: 'note_id',
  aggregate: 'note',

  evolve(row, { type, data }, { version, recordedAt }) {
    switch (type) {
      case 'opened':
        return { title: data.title, words: [], version, changed_at: recordedAt };
      case 'written':
        return row && { ...row, words: [...row.words, data.word], version, changed_at: recordedAt };
      case 'smudged':
        if (reads === 'clean') throw new RangeError(`What is "${data.word}"?`);
        return row && { ...row, words: [...row.words, '?'], version, changed_at: recordedAt };
      case 'halted':
        onHalted();
        return row && { ...row, words: [...row.words, '.'], version, changed_at: recordedAt };
      default:
        return undefined;
    }
  },
});

/** @type {import('./notes.mjs').noteCodec} */
export const noteCodec = {
  versions: { opened: 1, written: 1, smudged: 1, halted: 1, closed: 1 },
  encode: async (_, { data }) => ({ schemaVersion: 1, data }),
  decode: async (_, { type, data }) => ({ type, data }),
};
