import fc from 'fast-check';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeSegmentRecord, readSegment } from '../../src/stream/spool-segment.js';
import { DEFAULT_SPOOL_LIMITS, Spool, SpoolFullError } from '../../src/stream/spool.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-spool-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const payload = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));

describe('a spool segment', () => {
  it('gives back what was written; cut anywhere, it gives back the whole records before the cut', () => {
    fc.assert(
      fc.property(fc.array(payload), fc.nat(), (payloads, cut) => {
        const records = payloads.map(encodeSegmentRecord);
        const bytes = Buffer.concat(records);
        const length = cut % (bytes.length + 1);
        let whole = 0;
        for (let end = 0; whole < records.length && (end += records[whole]!.length) <= length;) whole++;
        expect(readSegment(bytes)).toEqual({ payloads, damaged: false });
        expect(readSegment(bytes.subarray(0, length))).toEqual({ payloads: payloads.slice(0, whole), damaged: false });
      }),
    );
  });

  it('steps over a record whose content was damaged, and says so', () => {
    const records = ['one', 'two', 'three'].map((text) => encodeSegmentRecord(Buffer.from(text)));
    records[1]![9]! ^= 1;
    expect(readSegment(Buffer.concat(records))).toEqual({
      payloads: [Buffer.from('one'), Buffer.from('three')],
      damaged: true,
    });
  });
});

describe('the spool', () => {
  it('gives back everything exactly once, in order, whatever is claimed in between', async () => {
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

  it('leaves the fresh segments of others alone and adopts the abandoned ones', async () => {
    const [dead, alive] = [new Spool(directory), new Spool(directory)];
    await dead.append(Buffer.from('left behind'));
    expect(await drain(alive)).toEqual([]);
    expect(await drain(alive, Date.now() + 11_000)).toEqual([Buffer.from('left behind')]);
    await dead.close();
  });

  it('adopts a claimed segment whose claimant has died over it', async () => {
    const [writer, claimant, heir] = [new Spool(directory), new Spool(directory), new Spool(directory)];
    await writer.append(Buffer.from('passed on'));
    const later = Date.now() + 20_000;
    expect(await claimant.claim(later)).toBeDefined();
    expect(await heir.claim(later + 9_000)).toBeUndefined();
    expect(await drain(heir, later + 10_000)).toEqual([Buffer.from('passed on')]);
    await writer.close();
  });

  it('loses nothing when a segment is adopted while its owner lives and goes on writing', async () => {
    const [slow, eager] = [new Spool(directory), new Spool(directory)];
    await slow.append(Buffer.from('before'));
    expect(await drain(eager, Date.now() + 11_000)).toEqual([Buffer.from('before')]);
    await slow.append(Buffer.from('after'));
    expect(await drain(eager, Date.now() + 11_000)).toEqual([Buffer.from('after')]);
    await slow.close();
  });

  it('lets two claimants at the same time share the segments between them', async () => {
    const writer = new Spool(directory, { ...DEFAULT_SPOOL_LIMITS, segmentBytes: 1 });
    const written = Array.from({ length: 30 }, (_, index) => Buffer.from(`entry ${index}`));
    for (const one of written) await writer.append(one);
    const later = Date.now() + 11_000;
    const shares = await Promise.all([drain(new Spool(directory), later), drain(new Spool(directory), later)]);
    expect(shares.flat().map(String).sort()).toEqual(written.map(String).sort());
  });

  it('knows how many bytes lie in the folder and takes no more than its limit', async () => {
    const spool = new Spool(directory, { ...DEFAULT_SPOOL_LIMITS, totalBytes: 100 });
    await spool.append(Buffer.alloc(50));
    expect(spool.bytes).toBe(58);
    await expect(spool.append(Buffer.alloc(50))).rejects.toThrow(SpoolFullError);
    expect(await drain(spool)).toHaveLength(1);
    await spool.append(Buffer.alloc(50));
    await spool.close();
  });

  it('reads what a crash has left whole', async () => {
    const crashed = new Spool(directory);
    await crashed.append(Buffer.from('whole'));
    await crashed.append(Buffer.from('torn'));
    const [name] = await readdir(directory);
    await truncate(join(directory, name!), (await readFile(join(directory, name!))).length - 2);
    expect(await drain(new Spool(directory), Date.now() + 11_000)).toEqual([Buffer.from('whole')]);
    await crashed.close();
  });

  it('refuses, rather than to pretend, when the folder cannot be written', async () => {
    await writeFile(join(directory, 'in-the-way'), '');
    await expect(new Spool(join(directory, 'in-the-way')).append(Buffer.from('x'))).rejects.toThrow();
  });
});

async function drain(spool: Spool, now = Date.now()): Promise<Buffer[]> {
  const payloads: Buffer[] = [];
  for (let segment = await spool.claim(now); segment; segment = await spool.claim(now)) {
    payloads.push(...readSegment(segment.bytes).payloads);
    await segment.remove();
  }
  return payloads;
}
