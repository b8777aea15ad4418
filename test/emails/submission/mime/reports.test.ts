import { readMimeContent, type MimeFile } from '../../../../src/emails/submission/mime/message-content.js';
import { readEntity } from '../../../../src/emails/submission/mime/read-entity.js';

const STATUS = 'Final-Recipient: rfc822; gone@example.com\r\nAction: failed\r\nStatus: 5.1.1\r\n';
const RETURNED = 'From: ada@acme.example\r\nSubject: Hello\r\n';

async function filesOf(...parts: readonly (readonly [type: string, content: string])[]): Promise<readonly MimeFile[]> {
  const lines = parts.flatMap(([type, content]) => ['--b', `Content-Type: ${type}`, '', content]);
  const header = 'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n';
  const raw = `${header}${['--b', '', 'It came back.', ...lines, '--b--'].join('\r\n')}`;
  return (await readMimeContent(await readEntity(Buffer.from(raw)))).files;
}

const named = ({ filename, contentType }: MimeFile): string => `${filename} ${contentType}`;

it('the parts of a bounce keep their types, with names that mail programs can open', async () => {
  const files = await filesOf(['message/delivery-status', STATUS], ['message/rfc822', `${RETURNED}\r\nHi`]);
  expect(files.map(named)).toEqual(['attachment-1.txt message/delivery-status', 'attachment-2.eml message/rfc822']);
  expect(`${files[0]!.bytes.toString()}`).toBe(STATUS);
});

it.each(['message/partial; id=x; number=1; total=2', 'message/external-body; access-type=URL; URL="https://e.co"'])(
  'a part of the type %s, which says nothing without its parameters, becomes a file',
  async (type) => {
    expect((await filesOf([type, RETURNED])).map(named)).toEqual(['attachment-1.txt text/plain']);
  },
);

it('returned headers keep their type', async () => {
  const [headers] = await filesOf(['text/rfc822-headers', RETURNED]);
  expect(named(headers!)).toBe('attachment-1.txt text/rfc822-headers');
});

it.each([
  ['letters beyond ASCII', 'Grüße'],
  ['a NUL', 'a\0b'],
  ['a line of 999 characters', `a\r\n${'x'.repeat(999)}\r\nb`],
  ['a line feed alone', 'a\nb'],
  ['a carriage return alone', 'a\rb'],
  ['a carriage return at its end', 'a\r'],
])('with %s, which needs an encoding, they become files', async (_, content) => {
  const files = await filesOf(['message/delivery-status', content], ['message/rfc822', content]);
  expect(files.map(named)).toEqual(['attachment-1.txt text/plain', 'attachment-2.eml application/octet-stream']);
});

it('lines of 998 characters need none', async () => {
  const [message] = await filesOf(['message/rfc822', `${'x'.repeat(998)}\r\n\r\n${'y'.repeat(998)}`]);
  expect(message!.contentType).toBe('message/rfc822');
});

it('a file of an unknown type has a name that no provider refuses', async () => {
  expect((await filesOf(['application/x-unknown', 'x'])).map(named)).toEqual([
    'attachment-1.dat application/x-unknown',
  ]);
});
