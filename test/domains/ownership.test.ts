import { checkOwnership, ownershipValue } from '../../src/domains/ownership.js';

const expected = ownershipValue('abc');
const none = { kind: 'none' } as const;

it('finds exactly our text among any other records', () => {
  const records = ['v=spf1 -all', expected];
  expect(checkOwnership(expected, { kind: 'found', records }, none).ownership).toBe('seen');
});

it.each([
  `${expected}def`,
  `${expected} `,
  ` ${expected}`,
  expected.slice(0, -1),
  expected.toUpperCase(),
  `x${expected}`,
])('does not take %j for it', (record) => {
  expect(checkOwnership(expected, { kind: 'found', records: [record] }, none).ownership).toBe('missing');
});
