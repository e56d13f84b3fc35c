import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Event } from '../decider.js';
import type { EventCodec } from '../event-codec.js';
import { UnreadableEventError } from '../unreadable-event-error.js';

const FILE = /^(?<type>.+)\.v(?<version>\d+)\.json$/;

/**
 * Declares the tests that every event a service has ever stored must pass. The folder has a file `<type>.v<schema
 * version>.json` for each version of each type, with its data as stored and personal fields opened. Files are added,
 * never changed: history is not rewritten either.
 */
export function goldenEvents<E extends Event>(codec: EventCodec<E>, folder: URL): void {
  describe('an event ever stored', () => {
    const files = readdirSync(folder);
    const dataOf = (file: string) =>
      JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as object;

    it('has a golden file for each version of each type, and there are no others', () => {
      expect(files.toSorted()).toEqual(goldenFiles(codec.versions).toSorted());
    });

    it.each(files)('can still be read: %s', async (file) => {
      const { type, schemaVersion } = partsOf(file);
      const event = await codec.decode('golden-1', { type, schemaVersion, data: dataOf(file) });
      expect(event.type).toBe(type);

      // No data is lost on the way to the newest version, which is the one that is written.
      const written = await codec.encode('golden-1', event);
      expect(written.schemaVersion).toBe(codec.versions[type]);
      if (schemaVersion === written.schemaVersion) expect(written.data).toEqual(dataOf(file));
    });

    it.each(Object.entries(codec.versions))(
      'is refused when younger code has stored it: %s after version %d',
      async (type, newest) => {
        const stored = { type, schemaVersion: newest + 1, data: {} };
        await expect(codec.decode('golden-1', stored)).rejects.toThrow(UnreadableEventError);
      },
    );
  });
}

/** Returns the names of the files that must exist. */
export const goldenFiles = (versions: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(versions).flatMap(([type, newest]) =>
    Array.from({ length: newest }, (_, index) => `${type}.v${index + 1}.json`),
  );

function partsOf(file: string): { readonly type: string; readonly schemaVersion: number } {
  const { type = '', version } = FILE.exec(file)?.groups ?? {};
  return { type, schemaVersion: Number(version) };
}
