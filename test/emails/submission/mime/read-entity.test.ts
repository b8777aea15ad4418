import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import { readMimeContent } from '../../../../src/emails/submission/mime/message-content.js';
import { readEntity } from '../../../../src/emails/submission/mime/read-entity.js';

const crlf = (lines: readonly string[]): Buffer => Buffer.from(lines.join('\r\n'));
const contentOf = (lines: readonly string[]) => readMimeContent(readEntity(crlf(lines)));

describe('a MIME message', () => {
  it('keeps text, HTML and files, whatever they contain', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
    const lines = text.map((value) => value.replace(/[\r\n]/g, '\n'));
    await fc.assert(
      fc.asyncProperty(lines, lines, fc.uint8Array({ minLength: 1, maxLength: 400 }), async (plain, html, bytes) => {
        const composed = await new MailComposer({
          from: 'a@b.example',
          text: plain,
          html,
          attachments: [{ filename: 'ü "1"; x*=y.bin', content: Buffer.from(bytes) }],
        })
          .compile()
          .build();
        const read = readMimeContent(readEntity(composed));
        expect(read.text?.trimEnd()).toBe(plain.trimEnd());
        expect(read.html?.trimEnd()).toBe(html.trimEnd());
        expect(read.files).toEqual([
          {
            filename: 'ü "1"; x*=y.bin',
            contentType: 'application/octet-stream',
            contentId: null,
            bytes: Buffer.from(bytes),
          },
        ]);
      }),
    );
  });

  it('keeps a boundary that begins like another one, parts without headers, and line ends before boundaries', () => {
    const { text, html, files } = contentOf([
      'Content-Type: multipart/mixed; boundary="a"',
      '',
      'A preamble is no part.',
      '--a',
      'Content-Type: multipart/alternative; boundary=ab',
      '',
      '--ab',
      '',
      'plain',
      '',
      '--ab  ',
      'Content-Type: text/html',
      '',
      '--abc is text',
      '--ab--',
      '--a',
      'Content-Type: text/calendar; method=REQUEST; charset=utf-8',
      '',
      'BEGIN:VCALENDAR',
      '--a--',
      'An epilogue is no part.',
    ]);
    expect([text, html]).toEqual(['plain\n', '--abc is text']);
    expect(files).toEqual([
      {
        filename: 'attachment-1.ics',
        contentType: 'text/calendar; charset=utf-8; method=REQUEST',
        contentId: null,
        bytes: Buffer.from('BEGIN:VCALENDAR'),
      },
    ]);
  });

  it('takes LF alone as line end, and a last part without its end', () => {
    const raw = 'Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/html\n\n<p>x</p>\n';
    expect(readMimeContent(readEntity(Buffer.from(raw))).html).toBe('<p>x</p>\n');
  });

  it.each([
    ['quoted-printable', 'a=C3=BC=\r\nb =3d= x=20', 'aüb == x '],
    ['quoted-printable', 'a=  \r\nb=', 'ab'],
    ['base64', 'w7w=\r\n', 'ü'],
    ['8bit', 'ü', 'ü'],
    ['BASE64', 'eA', 'x'],
  ])('decodes %s: %j', (encoding, body, decoded) => {
    expect(contentOf([`Content-Transfer-Encoding: ${encoding}`, '', body]).text).toBe(decoded);
  });

  it.each([
    ['iso-8859-1', Buffer.from([0xfc]), 'ü'],
    ['ISO-2022-JP', Buffer.from('1b2442242224241b2842', 'hex'), 'あい'],
    ['koi8-r', Buffer.from([0xc1]), 'а'],
    ['', Buffer.from([0xfc]), 'ü'],
    ['', Buffer.from('ü'), 'ü'],
  ])('decodes the character set %j', (charset, body, decoded) => {
    const type = charset === '' ? 'text/plain' : `text/plain; charset="${charset}"`;
    const raw = Buffer.concat([Buffer.from(`Content-Type: ${type}\r\n\r\n`), body]);
    expect(readMimeContent(readEntity(raw)).text).toBe(decoded);
  });

  it.each([
    [`filename*0*=utf-8''%C3%BC; filename*1=" a"; filename*2*=%2epdf`, 'ü a.pdf'],
    [`filename="=?utf-8?q?=C3=BC?=.pdf"`, 'ü.pdf'],
    [`filename="../../etc/pass\\"wd"`, '.._.._etc_pass"wd'],
    [`filename="never closed`, 'never closed'],
    [`filename=a\u202efdp.exe`, 'a_fdp.exe'],
    ['filename=""', 'attachment-1.pdf'],
  ])('names a file: %s', (parameters, filename) => {
    const { files } = contentOf([
      'Content-Type: application/pdf',
      `Content-Disposition: attachment; ${parameters}`,
      '',
      'x',
    ]);
    expect(files[0]!.filename).toBe(filename);
  });

  it('has IDs only for files to which its HTML refers', () => {
    const file = (id: string) => ['--a', 'Content-Type: image/png', `Content-ID: <${id}>`, '', 'x'];
    const { files } = contentOf([
      'Content-Type: multipart/related; boundary=a',
      '',
      ...['--a', 'Content-Type: text/html', '', '<img src="cid:shown@x">'],
      ...file('shown@x'),
      ...file('other@x'),
      '--a--',
    ]);
    expect(files.map(({ contentId }) => contentId)).toEqual(['shown@x', null]);
  });

  it.each<[string, string[]]>([
    ['signed', ['Content-Type: multipart/signed; boundary=a', '', '--a', '', 'x', '--a--']],
    ['encrypted', ['Content-Type: application/pkcs7-mime; name=smime.p7m', '', 'x']],
    [
      'alternative of the type text/x-amp-html',
      ['Content-Type: multipart/alternative; boundary=a', '', '--a', 'Content-Type: text/x-amp-html', '', 'x', '--a--'],
    ],
    ['no boundary', ['Content-Type: multipart/mixed', '', 'x']],
    ['transfer encoding "x-uuencode"', ['Content-Transfer-Encoding: x-uuencode', '', 'x']],
    ['character set "klingon"', ['Content-Type: text/plain; charset=klingon', '', 'x']],
    ['no field name', ['From: a@b.example', 'no field', '', 'x']],
    ['Content-Type is too long', [`Content-Type: text/plain; ${'a=b; '.repeat(1_000)}`, '', 'x']],
    ['more than 64 KB', [`X: ${'a'.repeat(70_000)}`, '', 'x']],
    [
      'more than 100 parts',
      ['Content-Type: multipart/mixed; boundary=a', '', ...Array<string>(105).fill('--a\r\n\r\nx'), '--a--'],
    ],
    ['nested more than 10 times', nested(12)],
  ])('is refused: %s', (reason, lines) => {
    expect(() => contentOf(lines)).toThrow(reason);
  });
});

function nested(depth: number): string[] {
  const boundaries = Array.from({ length: depth }, (_, at) => `b${at}`);
  return boundaries.flatMap((boundary) => [`Content-Type: multipart/mixed; boundary=${boundary}`, '', `--${boundary}`]);
}
