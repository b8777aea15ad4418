import fc from 'fast-check';
import { bareAddress, domainOf, formatMailbox, parseMailbox } from '../../src/emails/mailbox.js';

describe('parseMailbox', () => {
  it.each([
    ['jane@example.com', { address: 'jane@example.com' }],
    ['  jane@Example.COM ', { address: 'jane@Example.COM' }],
    ['Jane Doe <jane@example.com>', { name: 'Jane Doe', address: 'jane@example.com' }],
    ['Acme Inc. <a@b.co>', { name: 'Acme Inc.', address: 'a@b.co' }],
    ['"Doe, Jane" <jane@example.com>', { name: 'Doe, Jane', address: 'jane@example.com' }],
    ['"A \\"B\\" C" <a@b.co>', { name: 'A "B" C', address: 'a@b.co' }],
    ['<jane@example.com>', { address: 'jane@example.com' }],
    ['Zoë <zoe@exämple.com>', { name: 'Zoë', address: 'zoe@xn--exmple-cua.com' }],
    ['jane@ｅxample.com', { address: 'jane@example.com' }],
  ])('reads %j', (text, mailbox) => expect(parseMailbox(text)).toEqual(mailbox));

  it.each([
    '',
    '@',
    'jane',
    'jane@',
    '@example.com',
    'jane@localhost',
    'jane@127.0.0.1',
    'jane@[127.0.0.1]',
    'jane@example.com, joe@example.com',
    'team: a@b.co, c@d.co;',
    'a@ok.test(@evil.test)',
    '"a b"@ok.test',
    'a..b@ok.test',
    '.a@ok.test',
    'a@ok .test',
    'a@-ok.test',
    'a@ok.test/x',
    'a@ok.test?cc=b@',
    'a@ok.test?subject=x',
    'a@ok.test#x',
    'a@ok.test\\x',
    'a@%6fk.test',
    '<a@b.co>,c',
    'Doe, Jane <jane@example.com>',
    'Jane <jane@example.com> <joe@example.com>',
    'a@b.co\r\nBcc: evil@x.test',
    'a\u0000@b.co',
    'a\u2028b <a@b.co>',
    '\ud800 <a@b.co>',
    'ünïcode@example.com',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b'.repeat(64)}.co`,
    '<'.repeat(1_000_000),
    '('.repeat(1_000_000),
  ])('refuses %#', (text) => expect(parseMailbox(text)).toBeUndefined());

  it('never confuses another alphabet with ASCII', () => {
    const cyrillic = parseMailbox('jane@ex\u0430mple.com');
    expect(domainOf(cyrillic!.address)).toMatch(/^xn--/);
    // The Kelvin sign is a "k" in lower case.
    expect(parseMailbox('jane@\u212aiosk.example')).toEqual({ address: 'jane@kiosk.example' });
  });

  it('parses back what it formats, for any name', () => {
    // Characters with a meaning around a name would be rare among ordinary letters.
    const unit = fc.oneof(
      fc.constantFrom('<', '>', '"', '\\', ',', '@', ' ', '(', 'a'),
      fc.string({ minLength: 1, maxLength: 1 }),
    );
    const name = fc.string({ unit, minLength: 1, maxLength: 60 }).filter((text) => text.trim() === text);
    fc.assert(
      fc.property(name, (text) => {
        const mailbox = { name: text, address: 'jane@example.com' };
        expect(parseMailbox(formatMailbox(mailbox))).toEqual(mailbox);
        expect(bareAddress(formatMailbox(mailbox))).toBe('jane@example.com');
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds the address after a name with brackets', () => {
    expect(bareAddress(formatMailbox({ name: 'a <b', address: 'x@y.co' }))).toBe('x@y.co');
    expect(bareAddress(formatMailbox({ name: 'a <x@z.co>', address: 'x@y.co' }))).toBe('x@y.co');
  });

  it('compares domains ignoring case', () => {
    expect(domainOf('ada@ACME.Example')).toBe('acme.example');
  });

  it('accepts nothing but one plain address in any text', () => {
    const piece = fc.constantFrom(
      '@',
      '<',
      '>',
      ',',
      ';',
      ':',
      '"',
      '\\',
      '(',
      ')',
      ' ',
      '\r\n',
      '\0',
      'é',
      'a',
      'b.co',
    );
    const some = fc.array(piece, { maxLength: 2 }).map((parts) => parts.join(''));
    let accepted = 0;
    fc.assert(
      // Surrounds something like an address, so that many of the texts are accepted as one.
      fc.property(some, some, some, some, (before, name, between, after) => {
        const mailbox = parseMailbox(`${before}${name}a${between}@b.co${after}`);
        if (!mailbox) return;
        accepted += 1;
        expect(mailbox.address).toMatch(/^[^\s@<>,;:"\\()]+@[^\s@<>,;:"\\()]+$/);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});
