import { describe, expect, it } from '@jest/globals';
import { readableLog } from '../../../test/loopback.js';
import { diskWatch } from './disk-watch.js';

describe('watching the disk', () => {
  it('reports room without writing anything to make sure', async () => {
    const { disk } = watch();
    expect(await disk.hasRoom()).toBe(true);
  });

  it('reports no room once a statement was refused, until something can be written', async () => {
    const { disk, text } = watch();
    let room = false;
    let writes = 0;
    const query = async () => {
      writes += 1;
      if (!room) throw Object.assign(new Error('could not extend file'), { code: '53100' });
    };
    disk.full({ query });
    disk.full({ query });
    await expect(disk.hasRoom()).rejects.toThrow('could not extend file');
    await expect(disk.hasRoom()).rejects.toThrow('could not extend file');
    expect(writes).toBe(2);

    room = true;
    expect([await disk.hasRoom(), await disk.hasRoom()]).toEqual([true, true]);
    expect(writes).toBe(3);
    expect(text().match(/is full/g)).toHaveLength(1);
    expect(text().match(/has room again/g)).toHaveLength(1);
  });
});

function watch() {
  const { log, text } = readableLog();
  return { disk: diskWatch(log), text };
}
