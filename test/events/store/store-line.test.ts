import { lineOf, STORE_COLUMNS } from '../../../src/events/store/store-line.js';
import type { StoreRow } from '../../../src/events/store/store-row.js';

const row: StoreRow = { id: 'id', email: 'email', at: Date.UTC(2026, 2, 1, 9, 30, 0, 7), type: 'opened', revision: 0 };

describe('a line of the event store', () => {
  it('has a cell for each column', () => {
    expect(lineOf(row)).toBe('email\t2026-03-01 09:30:00.007\tid\topened\t0\t-1\t\t0\t0\t0\t0\t0\n');
    expect(lineOf(row).split('\t')).toHaveLength(STORE_COLUMNS.length);
    const all = {
      verdict: 3,
      linkPosition: 2,
      smtpStatus: '5.1.1',
      opens: 4,
      clicks: 5,
      machineOpens: 6,
      machineClicks: 7,
    };
    expect(lineOf({ ...row, ...all, revision: 8 })).toContain('\topened\t3\t2\t5.1.1\t4\t5\t6\t7\t8\n');
  });

  it('escapes characters that would end a cell or a line', () => {
    expect(lineOf({ ...row, smtpStatus: 'a\tb\nc\\d\0e\r' })).toContain('\ta\\tb\\nc\\\\d\\0e\\r\t');
  });

  it('limits times to the range of the column', () => {
    expect(lineOf({ ...row, at: 2 ** 48 - 1 })).toContain('\t2299-01-01 00:00:00.000\t');
  });
});
