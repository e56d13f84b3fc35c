import { expect, it } from '@jest/globals';
import { archiveOptions } from './store-methods.js';

it('an archive asks what the service knows of its streams and readers, and nothing of operations', () => {
  const later = { table: 'later', aggregate: 'note' };
  const projections = { inline: [], asynchronous: [later] };
  const closing = ['note.closed'];
  const note = { shape: 2, take: async () => true };
  expect(archiveOptions({ projections, closing, snapshots: { note } })).toEqual({
    closing,
    neverLoaded: ['ops'],
    shapes: { note: 2 },
    projections,
  });
  expect(archiveOptions({ projections, closing })).toMatchObject({ shapes: {} });
});
