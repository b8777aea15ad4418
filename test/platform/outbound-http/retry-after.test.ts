import fc from 'fast-check';
import { retryAfterMs } from '../../../src/platform/outbound-http/retry-after.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');

it.each([
  ['0', 0],
  ['120', 120_000],
  ['007', 7_000],
  [' 5 ', 5_000],
  ['Sun, 01 Mar 2026 12:10:00 GMT', 600_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', -3_600_000],
  ['Fri, 01 Jan 3000 00:00:00 GMT', undefined], // a Wednesday
  ['Wed, 01 Jan 3000 00:00:00 GMT', Date.parse('3000-01-01T00:00:00Z') - NOW],
])('Retry-After %j is %s ms', (header, milliseconds) => expect(retryAfterMs(header, NOW)).toBe(milliseconds));

it.each([
  ...['', ' ', 'soon', 'Invalid Date', '-5', '+5', '5.5', '5 s', '5, 6', '1e3', '0x10', '٣', 'in 3000', 'Mar 2026'],
  ...['2026-03-01T12:10:00Z', '1 Mar 2026 12:10:00 GMT', 'Sun, 1 Mar 2026 12:10:00 GMT'],
  ...['Sun, 01 Mar 2026 12:10:00', 'Sun, 01 Mar 2026 12:10:00 +0100', 'Mon, 30 Feb 2026 12:10:00 GMT'],
  ...['Sunday, 01-Mar-26 12:10:00 GMT', 'Sun Mar  1 12:10:00 2026'],
])('Retry-After %j is ignored', (header) => expect(retryAfterMs(header, NOW)).toBeUndefined());

it('reads every date in the format of RFC 9110', () => {
  const someDate = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31T23:59:59Z') });
  fc.assert(
    fc.property(someDate, (date) => {
      const seconds = Math.floor(date.getTime() / 1000);
      expect(retryAfterMs(date.toUTCString(), NOW)).toBe(seconds * 1000 - NOW);
    }),
  );
});

it('a missing Retry-After is undefined', () => expect(retryAfterMs(undefined, NOW)).toBeUndefined());
