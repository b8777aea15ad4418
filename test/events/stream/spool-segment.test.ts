import fc from 'fast-check';
import { encodeSegmentRecord, readSegment } from '../../../src/events/stream/spool-segment.js';

const payload = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes));

describe('a spool segment', () => {
  it('returns what was written; cut anywhere, it returns the complete records before the cut', () => {
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

  it('loses only the record with a damaged byte, and reports it; one with a damaged length is recovered', () => {
    fc.assert(
      fc.property(
        fc.array(payload, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (payloads, which, where, change) => {
          const records = payloads.map(encodeSegmentRecord);
          const hit = which % records.length;
          const at = where % records[hit]!.length;
          records[hit]![at]! ^= change;
          const others = payloads.filter((_, index) => index !== hit);
          expect(readSegment(Buffer.concat(records))).toEqual(
            at < 4 ? { payloads, damaged: false } : { payloads: others, damaged: true },
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('finds no record in zeros, which a disk may have after the last record or in place of lost ones', () => {
    const [first, second, third] = ['one', 'two', 'three'].map((text) => encodeSegmentRecord(Buffer.from(text)));
    const zeros = Buffer.alloc(4096);
    const [one, two, three] = [Buffer.from('one'), Buffer.from('two'), Buffer.from('three')];
    expect(readSegment(zeros)).toEqual({ payloads: [], damaged: false });
    expect(readSegment(Buffer.concat([first!, second!, zeros]))).toEqual({ payloads: [one, two], damaged: false });
    const hole = Buffer.concat([first!, zeros, third!]);
    expect(readSegment(hole)).toEqual({ payloads: [one, three], damaged: true });
    expect(() => encodeSegmentRecord(Buffer.alloc(0))).toThrow(RangeError);
  });

  it('skips several damaged records in a row, and a last one whose length is impossible', () => {
    const records = ['one', 'two', 'three', 'four'].map((text) => encodeSegmentRecord(Buffer.from(text)));
    records[1]![9]! ^= 1;
    records[2]![0] = 0xff;
    records[2]![9]! ^= 1;
    const read = readSegment(Buffer.concat(records));
    expect(read).toEqual({ payloads: [Buffer.from('one'), Buffer.from('four')], damaged: true });
    expect(readSegment(Buffer.concat(records.slice(0, 3)))).toEqual({ payloads: [Buffer.from('one')], damaged: true });
  });

  it('has the same format in all builds, so that each reads the segments of the others', () => {
    const written = Buffer.from('000000037a6c86f16f6e650000000546c5d8f57468726565', 'hex');
    const payloads = [Buffer.from('one'), Buffer.from('three')];
    expect(Buffer.concat(payloads.map(encodeSegmentRecord)).toString('hex')).toBe(written.toString('hex'));
    expect(readSegment(written)).toEqual({ payloads, damaged: false });
  });
});
