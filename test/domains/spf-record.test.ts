import { checkSpf } from '../../src/domains/spf-record.js';

const ours = 'include:mail.example';
const check = (...records: string[]) => checkSpf(ours, { kind: 'found', records });

it.each([
  'v=spf1 include:mail.example ~all',
  'v=spf1 +Include:mail.example -all',
  'v=spf1 ip4:192.0.2.1 include:mail.example redirect=other.example',
])('finds our term in %s', (record) => {
  expect(check(record)).toMatchObject({ found: true, value: record });
});

// RFC 7208, 4.6.2 and 5.1: the first term that matches decides, and nothing after "all" is tested.
it.each([
  ['v=spf1 -all include:mail.example', 'v=spf1 include:mail.example -all'],
  ['v=spf1 a ~ALL ip4:192.0.2.1 include:mail.example', 'v=spf1 a ip4:192.0.2.1 include:mail.example ~ALL'],
  ['v=spf1 -include:mail.example include:mail.example ~all', 'v=spf1 include:mail.example ~all'],
  ['v=spf1 ?include:mail.example -all', 'v=spf1 include:mail.example -all'],
  ['v=spf1 mx -all', 'v=spf1 mx include:mail.example -all'],
])('does not take %s for a permission, and shows one that is', (record, value) => {
  expect(check(record)).toMatchObject({ found: false, value, advice: expect.stringContaining(ours) });
  expect(check(value)).toMatchObject({ found: true, advice: null });
});
