import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { DenyList } from '../../../src/links/blocking/deny-list.js';
import { readHostName } from '../../../src/links/blocking/host-name.js';
import { organizationTagOf } from '../../../src/links/organization-tag.js';
import { keysWith } from '../keys.js';

const list = new DenyList({ host: ['evil.test', '127.0.0.1', 'xn--mnchen-3ya.test'], email: ['an-email'] });

describe('hosts on the deny list', () => {
  // Once optimized, `URL.canParse` of Node 20 rejects Latin-1 letters, and the link would not be blocked.
  it('stay blocked under any spelling after many lookups', () => {
    const urls = ['https://evil.test/', 'https://münchen.test/', 'https://evil.test/ü'];
    const opened = Array.from({ length: 150_000 }, (_, index) => urls[index % urls.length]!);
    expect(opened.filter((url) => list.kindOfLink('other', url) !== 'host')).toEqual([]);
  });

  it.each([
    'https://evil.test',
    'http://EVIL.test./x?y#z',
    'https://login.evil.test:8443/',
    'https://www.paypal.com@evil.test/login',
    'https://www.paypal.com%2f@a.b.evil.test',
    'https://evil.test\\@paypal.com/',
    'https://ev%69l.test/',
    'https:\\\\evil.test',
    'http://0x7f.1/',
    'http://2130706433/',
    'https://münchen.test/',
    'https://ｅｖｉｌ.test/',
    'https://evil。test/',
    'https://e\u00advil.test/',
    'https://ev\til.te\nst/',
    ' \u0001https://evil.test/',
    'https:evil.test',
    'https:/evil.test:/',
    'https://evil%2Etest./',
    'https://user:pass@evil.test:0443/',
    'https://a@b@evil.test/',
    'http://0177.0.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:FFFF:7f00:0001]:8080/',
    'http://127.1./',
    'https://MÜNCHEN.test/',
    'https://xn--MNCHEN-3ya.test/',
    'https://mu\u0308nchen.test/',
  ])('catch %s, as a browser reads it', (url) => expect(list.kindOfLink('other', url)).toBe('host'));

  it.each([
    'https://notevil.test/',
    'https://evil.test.example/',
    'https://paypal.com/evil.test',
    'https://test/',
    'x',
  ])('let %s pass', (url) => expect(list.kindOfLink('other', url)).toBeUndefined());

  it('catch a host with all its subdomains and no other host', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
    const host = fc.array(label, { minLength: 2, maxLength: 5 }).map((labels) => labels.join('.'));
    fc.assert(
      fc.property(host, host, (blocked, requested) => {
        const isInside = requested === blocked || requested.endsWith(`.${blocked}`);
        const kind = new DenyList({ host: [blocked] }).kindOfLink('e', `https://${requested}/`);
        expect(kind).toBe(isInside ? 'host' : undefined);
        expect(new DenyList({ host: [blocked] }).kindOfLink('e', `https://sub.${blocked}/`)).toBe('host');
      }),
    );
  });
});

it('the email of a link counts regardless of its host', () => {
  expect(list.kindOfLink('an-email', 'https://paypal.com/')).toBe('email');
});

it.each([
  ['EVIL.test.', 'evil.test'],
  ['münchen.test', 'xn--mnchen-3ya.test'],
  ['0x7f.1', '127.0.0.1'],
  ['[::1]', '[::1]'],
  ['[::ffff:127.0.0.1]', '127.0.0.1'],
  ['https://evil.test', undefined],
  ['evil.test/x', undefined],
  ['evil.test:80', undefined],
  ['a@evil.test', undefined],
  ['', undefined],
])('the host %j is read as %j', (text, host) => expect(readHostName(text)).toBe(host));

describe('organizations on the deny list', () => {
  const keys = keysWith(1, 2);
  const [blocked, deleted, gone, other] = Array.from({ length: 4 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
  ];
  const dead = organizationTagOf(keys.find(2)!, gone);
  const organizations = new DenyList({ organization: [blocked, deleted], deleted: [deleted], tag: [`2:${dead}`] });
  const kindOf = (id: string, keyId: number) =>
    organizations.kindOfTag(keys, { keyId, tag: organizationTagOf(keys.find(keyId)!, id) });

  it('are known by their tag under every key', () => {
    expect([1, 2].map((keyId) => kindOf(blocked, keyId))).toEqual(['organization', 'organization']);
    expect([1, 2].map((keyId) => kindOf(deleted, keyId))).toEqual(['deleted', 'deleted']);
    expect([1, 2].map((keyId) => kindOf(other, keyId))).toEqual([undefined, undefined]);
  });

  it('are known after their end by the tag that is left, under its key alone', () => {
    expect([1, 2].map((keyId) => kindOf(gone, keyId))).toEqual([undefined, 'deleted']);
    expect(organizations.kindOfTag(keys, { keyId: 1, tag: dead })).toBeUndefined();
  });
});
