import fc from 'fast-check';
import { readMimeContent } from '../../../../src/emails/submission/mime/message-content.js';
import { readMimeMessageFields } from '../../../../src/emails/submission/mime/message-fields.js';
import { readEntity } from '../../../../src/emails/submission/mime/read-entity.js';
import { readRecipientNames } from '../../../../src/emails/submission/mime/recipient-names.js';
import { DomainError } from '../../../../src/platform/errors/domain-error.js';

const crlf = (lines: readonly string[]): Buffer => Buffer.from(lines.join('\r\n'));

describe('a hostile message', () => {
  it('is read or refused with a reason, however broken it is', () => {
    const pieces = fc.constantFrom(
      ...[
        '\r\n',
        '\n',
        '\r',
        '--a',
        '--a--',
        '--',
        ':',
        ';',
        '=',
        '"',
        '\\',
        '<',
        '>',
        ' ',
        '\t',
        'ü',
        '\0',
        '\u2028',
        'x',
      ],
      ...[
        'Content-Type: multipart/mixed; boundary=a\r\n',
        'Content-Type: text/html; charset=utf-7\r\n',
        '=?utf-8?q?',
        '?=',
      ],
      ...[
        'Content-Transfer-Encoding: base64\r\n',
        'Content-Disposition: attachment; filename*0*=',
        "utf-8''%",
        'From: a@b.c\r\n',
      ],
      ...['X-Mailbeacon-Metadata: {', 'References: <a@b>', 'Content-Type: message/rfc822\r\n\r\n', 'To: a:b;,<'],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }), (texts) => {
        const raw = Buffer.from(texts.join(''));
        for (const bytes of [raw, Buffer.concat([raw, Buffer.of(0xff, 0xfe)])]) {
          try {
            const entity = readEntity(bytes);
            readRecipientNames(entity.fields)('a@b.c');
            readMimeMessageFields(entity.fields);
            readMimeContent(entity);
          } catch (error) {
            expect(error).toBeInstanceOf(DomainError);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });

  // A parser that is not linear would take minutes for these.
  it.each<[string, Buffer]>([
    ['empty lines', Buffer.concat([crlf(['Content-Type: text/plain', '', '']), Buffer.alloc(20_000_000, '\r\n')])],
    [
      'lines like boundaries',
      Buffer.concat([crlf(['Content-Type: multipart/mixed; boundary=a', '', '']), Buffer.alloc(20_000_000, '--ab\n')]),
    ],
    [
      'boundaries',
      Buffer.concat([crlf(['Content-Type: multipart/mixed; boundary=a', '', '']), Buffer.alloc(20_000_000, '--a\n')]),
    ],
    [
      'equals signs',
      Buffer.concat([crlf(['Content-Transfer-Encoding: quoted-printable', '', '']), Buffer.alloc(20_000_000, '=')]),
    ],
    [
      'blanks after equals signs',
      Buffer.concat([
        crlf(['Content-Transfer-Encoding: quoted-printable', '', '']),
        Buffer.alloc(200_000, '=' + ' '.repeat(199_999)),
      ]),
    ],
    ['quotes that never end', crlf([`Content-Disposition: attachment${';a="'.repeat(15_000)}`, '', 'x'])],
  ])('takes time linear in its size: %s', (_, raw) => {
    const before = process.cpuUsage();
    try {
      readMimeContent(readEntity(raw));
    } catch {
      // Refused is fine.
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});
