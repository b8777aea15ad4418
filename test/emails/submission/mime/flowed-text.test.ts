import { unwrapFlowed } from '../../../../src/emails/submission/mime/flowed-text.js';

const crlf = (...lines: string[]): string => lines.join('\r\n');

it.each<[string, string, string]>([
  [
    'joins the lines of a paragraph',
    crlf('This is ', 'one ', 'paragraph.', 'Another.'),
    crlf('This is one paragraph.', 'Another.'),
  ],
  ['keeps empty lines', crlf('a ', 'b', '', '', 'c', ''), crlf('a b', '', '', 'c', '')],
  ['joins quoted lines of one depth', crlf('> a ', '> b', '>> c ', '> d ', 'e'), crlf('> a b', '>> c ', '> d ', 'e')],
  [
    'removes the blank that protects a line',
    crlf(' From here', ' > no quotation', '>  x'),
    crlf('From here', '> no quotation', '>  x'),
  ],
  ['keeps the line before a signature', crlf('Bye ', '-- ', 'Ada'), crlf('Bye ', '-- ', 'Ada')],
  ['keeps an empty line after one that continues', crlf('a ', '', 'b'), crlf('a ', '', 'b')],
  ['takes LF alone as line end', 'a \nb\nc', crlf('a b', 'c')],
  ['keeps a last line that would continue', 'a ', 'a '],
])('%s', (_, text, unwrapped) => {
  expect(unwrapFlowed(text, false)).toBe(unwrapped);
});

it('deletes the blanks that only mark a break', () => {
  expect(unwrapFlowed(crlf('日本 ', '語'), true)).toBe('日本語');
  expect(unwrapFlowed(crlf('-- ', 'Ada'), true)).toBe(crlf('-- ', 'Ada'));
});
