import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import { readMimeContent } from '../../../../src/emails/submission/mime/message-content.js';
import { readEntity } from '../../../../src/emails/submission/mime/read-entity.js';
import { nestedParts } from './nested-parts.js';

const crlf = (lines: readonly string[]): Buffer => Buffer.from(lines.join('\r\n'));
const contentIn = async (raw: Buffer) => readMimeContent(await readEntity(raw));
const contentOf = (lines: readonly string[]) => contentIn(crlf(lines));

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
        const read = await contentIn(composed);
        expect(read.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(plain.trimEnd());
        expect(read.html?.replaceAll('\r\n', '\n').trimEnd()).toBe(html.trimEnd());
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

  it('decodes more base64 than one turn of the event loop does, in lines of any length', async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 2_000_000 }, (_, at) => at % 251));
    const lines = bytes.toString('base64').match(/.{1,75}/g)!;
    const { files } = await contentOf(['Content-Type: image/png', 'Content-Transfer-Encoding: base64', '', ...lines]);
    expect(files[0]!.bytes.equals(bytes)).toBe(true);
  });

  it('keeps a boundary that begins like another one, parts without headers, and line ends before boundaries', async () => {
    const { text, html, files } = await contentOf([
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
    expect([text, html]).toEqual(['plain\r\n', '--abc is text']);
    expect(files).toEqual([
      {
        filename: 'attachment-1.ics',
        contentType: 'text/calendar; charset=utf-8; method=REQUEST',
        contentId: null,
        bytes: Buffer.from('BEGIN:VCALENDAR'),
      },
    ]);
  });

  it('takes LF alone as line end, and a last part without its end', async () => {
    const raw = 'Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/html\n\n<p>x</p>\n';
    expect((await contentIn(Buffer.from(raw))).html).toBe('<p>x</p>\n');
  });

  it.each([
    ['quoted-printable', 'a=C3=BC=\r\nb =3d= x=20', 'aüb == x '],
    ['quoted-printable', 'a=  \r\nb=', 'ab'],
    ['base64', 'w7w=\r\n', 'ü'],
    ['8bit', 'ü', 'ü'],
    ['BASE64', 'eA', 'x'],
    ['base64', 'QUJD\r\n'.repeat(200_000), 'ABC'.repeat(200_000)],
    ['7bit (a comment)', 'x', 'x'],
    ['', 'x', 'x'],
  ])('decodes %s: %j', async (encoding, body, decoded) => {
    expect((await contentOf([`Content-Transfer-Encoding: ${encoding}`, '', body])).text).toBe(decoded);
  });

  it.each([
    ['iso-8859-1', Buffer.from([0xfc]), 'ü'],
    ['ISO-2022-JP', Buffer.from('1b2442242224241b2842', 'hex'), 'あい'],
    ['koi8-r', Buffer.from([0xc1]), 'а'],
    ['', Buffer.from([0xfc]), 'ü'],
    ['', Buffer.from('ü'), 'ü'],
    ['unknown-8bit', Buffer.from('ü'), 'ü'],
    ['cp1252', Buffer.from([0xfc]), 'ü'],
    ['klingon', Buffer.from('ascii'), 'ascii'],
  ])('decodes the character set %j', async (charset, body, decoded) => {
    const type = charset === '' ? 'text/plain' : `text/plain; charset="${charset}"`;
    const raw = Buffer.concat([Buffer.from(`Content-Type: ${type}\r\n\r\n`), body]);
    expect((await contentIn(raw)).text).toBe(decoded);
  });

  it.each([
    [`filename*0*=utf-8''%C3%BC; filename*1=" a"; filename*2*=%2epdf`, 'ü a.pdf'],
    [`filename="=?utf-8?q?=C3=BC?=.pdf"`, 'ü.pdf'],
    [`filename="_.pdf"; filename*=utf-8''%C3%BC%20a.pdf`, 'ü a.pdf'],
    [`filename*=utf-8''%C3%BC%20a.pdf; filename="_.pdf"`, 'ü a.pdf'],
    [`filename=a.pdf; filename*0=b; filename*1=.pdf`, 'b.pdf'],
    ['filename=a.pdf; filename=b.pdf', 'a.pdf'],
    ['filename=My yearly report.pdf; size=3', 'My yearly report.pdf'],
    ['filename=a.pdf (a report) ; size=3', 'a.pdf'],
    ['filename=a.pdf size=3', 'a.pdf'],
    [`filename="../../etc/pass\\"wd"`, '.._.._etc_pass"wd'],
    [`filename="never closed`, 'never closed'],
    [`filename=a\u202efdp.exe`, 'a_fdp.exe'],
    ['filename=""', 'attachment-1.pdf'],
  ])('names a file: %s', async (parameters, filename) => {
    const { files } = await contentOf([
      'Content-Type: application/pdf',
      `Content-Disposition: attachment; ${parameters}`,
      '',
      'x',
    ]);
    expect(files[0]!.filename).toBe(filename);
  });

  it.each(['text', '', 'a/b/c', ';charset=utf-8'])('is text if its type is none: %j', async (type) => {
    expect(await contentOf([`Content-Type: ${type}`, '', 'x'])).toMatchObject({ text: 'x', files: [] });
  });

  it.each(['text/html (a comment); charset=utf-8', 'text/html charset=utf-8', 'TEXT/HTML ;charset=utf-8 format=x'])(
    'has the type before anything else in %j',
    async (type) => {
      expect(await contentOf([`Content-Type: ${type}`, '', 'x'])).toMatchObject({ html: 'x', files: [] });
    },
  );

  it('has a character set of one word', async () => {
    const type = 'Content-Type: text/plain; charset=utf-8 Format';
    expect(await contentOf([type, 'Content-Transfer-Encoding: 8bit', '', 'ü'])).toMatchObject({ text: 'ü', files: [] });
  });

  it('may have no parts', async () => {
    const { text, html, files } = await contentOf(['Content-Type: multipart/mixed; boundary=a', '', '', '--a--', '']);
    expect([text, html, files]).toEqual([undefined, undefined, []]);
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
    ['character set "klingon"', ['Content-Type: text/plain; charset=klingon', '', 'ü']],
    ['its boundary is missing', ['Content-Type: multipart/mixed; boundary=a', '', '--b', '', 'x', '--b--']],
    ['encrypted', ['Content-Type: application/pgp-encrypted', '', 'Version: 1']],
    ['encrypted', ['Content-Type: multipart/encrypted; boundary=a', '', '--a', '', 'x', '--a--']],
    [
      'more than 20 files',
      [
        'Content-Type: multipart/mixed; boundary=a',
        '',
        ...Array<string>(21).fill('--a\r\nContent-Type: image/png\r\n\r\nx'),
        '--a--',
      ],
    ],
    ['more than 1 MB', ['Content-Type: text/plain', '', 'x'.repeat(1024 * 1024 + 1)]],
    ['more than 5 MB', ['Content-Type: text/html', 'Content-Transfer-Encoding: base64', '', 'AAAA'.repeat(1_800_000)]],
    ['no field name', ['From: a@b.example', 'no field', '', 'x']],
    ['Content-Disposition is too long', [`Content-Type: text/plain; ${'a=b; '.repeat(1_000)}`, '', 'x']],
    ['more than 64 KB', [`X: ${'a'.repeat(70_000)}`, '', 'x']],
    [
      'more than 100 parts',
      ['Content-Type: multipart/mixed; boundary=a', '', ...Array<string>(105).fill('--a\r\n\r\nx'), '--a--'],
    ],
    ['nested more than 10 times', nestedParts(12)],
  ])('is refused: %s', async (reason, lines) => {
    await expect(contentOf(lines)).rejects.toThrow(reason);
  });
});
