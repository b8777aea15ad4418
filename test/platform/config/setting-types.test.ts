import {
  addressList,
  choice,
  domain,
  flag,
  fraction,
  hostList,
  optionalInteger,
  roleSet,
  secret,
  url,
  wholeNumber,
  type Variable,
} from '../../../src/platform/config/setting-types.js';

const description = 'A setting';
const optional = { description, example: 'x', optional: true } as const;

it.each<[string, Variable<unknown>, Record<string, unknown>, string[]]>([
  [
    'a whole number within its bounds',
    wholeNumber({ description, default: 5, min: 1, max: 10 }),
    { 1: 1, 10: 10, '007': 7 },
    ['0', '11', '1.5', '-1', ' 1', '1e1', 'x'],
  ],
  ['an optional one', optionalInteger({ ...optional, min: 0, max: 9 }), { 0: 0 }, ['10']],
  ['a fraction', fraction({ description, default: 0.5 }), { 0: 0, 0.25: 0.25, 1: 1 }, ['1.1', '.5', '-0.1', '10']],
  ['a flag', flag({ description, default: false }), { true: true, false: false }, ['yes', 'TRUE', '1', 'toString']],
  ['a choice', choice(['a', 'b'], { description, default: 'a' }), { a: 'a', b: 'b' }, ['c', 'A', 'a,b']],
  [
    'a set of roles, in their own order',
    roleSet(['a', 'b'], { description, default: ['a'] }),
    { a: ['a'], 'b, a': ['a', 'b'] },
    ['c', 'a,c', 'a,a'],
  ],
  ['a secret', secret(optional), { 'a/b+c': 'a/b+c' }, ['a b', 'a\n']],
  [
    'addresses with ports',
    addressList(optional),
    { '192.0.2.1:53, [2001:db8::1]:53': ['192.0.2.1:53', '[2001:db8::1]:53'] },
    ['192.0.2.1', '2001:db8::1:53', 'dns.example:53', '192.0.2.1:0', '192.0.2.1:65536', '192.0.2.1:53,'],
  ],
  [
    'hosts with ports',
    hostList(optional),
    { 'redis-1.internal:26379,192.0.2.1:1': ['redis-1.internal:26379', '192.0.2.1:1'] },
    ['redis-1', 'redis_1.internal:0', '-redis:1', 'a b:1'],
  ],
  [
    'a URL without slashes at its end',
    url(['http:', 'https:'], { description, default: 'https://a.example' }),
    { 'https://a.example//': 'https://a.example', 'http://a.example:1/b': 'http://a.example:1/b' },
    ['ftp://a.example', 'a.example', 'https://'],
  ],
  [
    'a URL with a password',
    url(['redis:'], optional),
    { 'redis://:a%2Fb@r.example:1/0': 'redis://:a%2Fb@r.example:1/0' },
    ['redis://:a/b@r.example:1'],
  ],
  [
    'a domain in lower case',
    domain({ description, default: 'a.example' }),
    { 'Mail.Example': 'mail.example' },
    ['example', '-a.example', 'a..example', `${'a'.repeat(64)}.example`, 'a b.example'],
  ],
])('reads %s, and nothing else', (_what, variable, valid, invalid) => {
  for (const [text, value] of Object.entries(valid)) expect(variable.read(text)).toEqual(value);
  expect(invalid.filter((text) => variable.read(text) !== undefined)).toEqual([]);
});

it('shows the default as text, and never a value with a password', () => {
  expect(roleSet(['a', 'b'], { description, default: ['a', 'b'] }).fallback).toEqual({
    value: ['a', 'b'],
    text: 'a,b',
  });
  expect(flag({ description, default: true }).example).toBe('true');
  expect(secret({ ...optional, example: 'published' })).toMatchObject({ secret: true });
  expect(secret({ ...optional, example: 'published' }).isPublished!('published')).toBe(true);
  expect(url(['postgres:'], optional).secret).toBe(true);
  expect(url(['https:'], optional).secret).toBe(false);
});
