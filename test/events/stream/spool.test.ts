import fc from 'fast-check';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpoolFullError, SpoolSpace } from '../../../src/events/stream/spool-space.js';
import { DEFAULT_SPOOL_LIMITS, Spool } from '../../../src/events/stream/spool.js';
import { eventually } from '../../support/eventually.js';
import { claimAll, drain } from './drained-spool.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-spool-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const payload = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const LATER_MS = 11_000;

describe('the spool', () => {
  it('returns everything exactly once, in order, whenever segments are claimed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(payload), { maxLength: 12 }), async (steps) => {
        const spool = new Spool(join(directory, 'any'), { ...DEFAULT_SPOOL_LIMITS, segmentBytes: 300 });
        const replayed: Buffer[] = [];
        for (const step of steps) {
          if (step) await spool.append(step);
          else replayed.push(...(await drain(spool)));
        }
        replayed.push(...(await drain(spool)));
        await spool.close();
        expect(replayed).toEqual(steps.filter((step) => step !== null));
        expect(await readdir(join(directory, 'any')).catch(() => [])).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('does not claim new segments of other processes, and adopts abandoned ones', async () => {
    const [dead, alive] = [new Spool(directory), new Spool(directory)];
    await dead.append(Buffer.from('left behind'));
    expect(await drain(alive)).toEqual([]);
    expect(await drain(alive, Date.now() + LATER_MS)).toEqual([Buffer.from('left behind')]);
    await dead.close();
  });

  it('adopts segments that were written while the clock was months ahead', async () => {
    const dead = new Spool(directory);
    await dead.append(Buffer.from('from the future'));
    expect(await drain(new Spool(directory), Date.now() - 90 * 86_400_000)).toEqual([Buffer.from('from the future')]);
    await dead.close();
  });

  it('adopts a claimed segment whose claimant has died, and none whose claimant is alive', async () => {
    const [writer, claimant, heir] = [new Spool(directory), new Spool(directory), new Spool(directory)];
    await writer.append(Buffer.from('passed on'));
    const later = Date.now() + 20_000;
    const [segment] = await claimAll(claimant, later);
    expect(await claimAll(heir, later + 9_000)).toEqual([]);
    expect(await segment!.renew(later + 9_000)).toBe(true);
    expect(await claimAll(heir, later + 18_000)).toEqual([]);
    expect(await drain(heir, later + 19_000)).toEqual([Buffer.from('passed on')]);
    expect(await segment!.renew(later + 19_000)).toBe(false);
    await writer.close();
  });

  it('loses nothing when a segment is adopted while its owner still writes', async () => {
    const [slow, eager] = [new Spool(directory), new Spool(directory)];
    await slow.append(Buffer.from('before'));
    expect(await drain(eager, Date.now() + LATER_MS)).toEqual([Buffer.from('before')]);
    await slow.append(Buffer.from('after'));
    expect(await drain(eager, Date.now() + LATER_MS)).toEqual([Buffer.from('after')]);
    await slow.close();
  });

  it('divides the segments between two simultaneous claimants', async () => {
    const writer = new Spool(directory, { ...DEFAULT_SPOOL_LIMITS, segmentBytes: 1 });
    const written = Array.from({ length: 30 }, (_, index) => Buffer.from(`entry ${index}`));
    for (const one of written) await writer.append(one);
    const later = Date.now() + LATER_MS;
    const shares = await Promise.all([drain(new Spool(directory), later), drain(new Spool(directory), later)]);
    expect(shares.flat().map(String).sort()).toEqual(written.map(String).sort());
  });

  it('knows the size of the folder and stores no more than its limit', async () => {
    const spool = new Spool(directory, { ...DEFAULT_SPOOL_LIMITS, totalBytes: 100 });
    await spool.append(Buffer.alloc(50, 1));
    // What was written while the folder was being listed counts twice until the next listing.
    await spool.space.settled();
    await spool.space.list();
    expect(spool.space.bytes).toBe(58);
    await expect(spool.append(Buffer.alloc(50, 1))).rejects.toThrow(SpoolFullError);
    expect(spool.refusal).toBe('the spool is full');
    expect(await drain(spool)).toHaveLength(1);
    await spool.append(Buffer.alloc(50, 1));
    expect(spool.refusal).toBeUndefined();
    await spool.close();
  });

  it('holds 10 GB by default', () => {
    expect(new Spool(directory).space.limitBytes).toBe(10_000_000_000);
  });

  it('counts what all processes on the folder have written, up to a segment of each', async () => {
    const limits = { ...DEFAULT_SPOOL_LIMITS, segmentBytes: 1_000, totalBytes: 20_000 };
    const spools = Array.from({ length: 4 }, () => new Spool(directory, limits));
    let refused = 0;
    for (let round = 0; round < 60; round++) {
      for (const spool of spools) await spool.append(Buffer.alloc(492, 1)).catch(() => refused++);
    }
    const sizes = await Promise.all(
      (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(limits.totalBytes - spools.length * limits.segmentBytes);
    expect(total).toBeLessThanOrEqual(limits.totalBytes + spools.length * limits.segmentBytes);
    expect(refused).toBe(60 * 4 - total / 500);
    for (const spool of spools) await spool.close();
  });

  it('counts what was written while the folder was being listed', async () => {
    const space = new SpoolSpace(directory, 1_000);
    const listing = space.list();
    space.wrote(100);
    await listing;
    expect(space.bytes).toBe(100);
  });

  it('accepts entries again once another process has replayed what filled the folder', async () => {
    const limits = { ...DEFAULT_SPOOL_LIMITS, totalBytes: 100 };
    const [full, other] = [new Spool(directory, limits), new Spool(directory, limits)];
    await full.append(Buffer.alloc(80, 1));
    await full.space.settled();
    await expect(full.append(Buffer.alloc(80, 1))).rejects.toThrow(SpoolFullError);
    expect(await drain(other, Date.now() + LATER_MS)).toHaveLength(1);
    await eventually(() =>
      full.append(Buffer.alloc(80, 1)).then(
        () => true,
        () => false,
      ),
    );
    await full.close();
  });

  it('reads the complete records after a crash', async () => {
    const crashed = new Spool(directory);
    await crashed.append(Buffer.from('whole'));
    await crashed.append(Buffer.from('torn'));
    const [name] = await readdir(directory);
    await truncate(join(directory, name!), (await readFile(join(directory, name!))).length - 2);
    expect(await drain(new Spool(directory), Date.now() + LATER_MS)).toEqual([Buffer.from('whole')]);
    await crashed.close();
  });

  it('throws when the folder cannot be written', async () => {
    await writeFile(join(directory, 'in-the-way'), '');
    await expect(new Spool(join(directory, 'in-the-way')).append(Buffer.from('x'))).rejects.toThrow();
  });
});
