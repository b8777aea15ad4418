import { readdir } from 'node:fs/promises';
import { DEFAULT_SPOOL_LIMITS, Spool } from '../../../src/events/stream/spool.js';
import { SmallDisk } from '../../faults/testbed/small-disk.js';
import { eventually } from '../../support/eventually.js';
import { drain } from './drained-spool.js';

const onSmallDisk = SmallDisk.missingRequirement() ? describe.skip : describe;
onSmallDisk('the spool on a disk that is full', () => {
  let disk: SmallDisk;
  beforeEach(async () => void (disk = await SmallDisk.mount(1)));
  afterEach(() => disk.remove());
  const segments = async () => (await readdir(disk.path)).filter((name) => name.endsWith('.spool'));

  it('leaves no file for entries that it could not write, and continues once there is room', async () => {
    const spool = new Spool(disk.path);
    await disk.fill();
    const failures = new Set<string>();
    for (let tries = 0; tries < 50; tries++)
      await spool.append(Buffer.alloc(8_000, 1)).catch((error) => failures.add(error.code));
    expect([...failures]).toEqual(['ENOSPC']);
    expect(await segments()).toEqual([]);
    await disk.clear();
    await eventually(() =>
      spool.append(Buffer.from('room')).then(
        () => true,
        () => false,
      ),
    );
    expect(await drain(spool)).toEqual([Buffer.from('room')]);
    await spool.close();
  });

  it('keeps what a segment had before the disk was full, and appends to the same segment afterwards', async () => {
    const spool = new Spool(disk.path);
    await spool.append(Buffer.from('before'));
    await disk.fill();
    let taken = 0;
    // The last page of the file has room for one or two small entries.
    for (let tries = 0; tries < 5; tries++)
      await spool.append(Buffer.alloc(5_000, 1)).then(
        () => taken++,
        () => undefined,
      );
    expect(taken).toBe(0);
    await disk.clear();
    await eventually(() =>
      spool.append(Buffer.from('after')).then(
        () => true,
        () => false,
      ),
    );
    expect(await segments()).toHaveLength(1);
    expect(await drain(spool)).toEqual([Buffer.from('before'), Buffer.from('after')]);
    await spool.close();
  });

  it('tries the disk twice a second, not for every entry', async () => {
    let elapsedMs = 0;
    const spool = new Spool(disk.path, DEFAULT_SPOOL_LIMITS, () => elapsedMs);
    await disk.fill();
    await expect(spool.append(Buffer.alloc(8_000, 1))).rejects.toThrow('ENOSPC');
    await disk.clear();
    elapsedMs = 499;
    await expect(spool.append(Buffer.from('room'))).rejects.toThrow('ENOSPC');
    elapsedMs = 500;
    await spool.append(Buffer.from('room'));
    await spool.close();
  });
});
