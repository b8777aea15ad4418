import { readMimeContent, type MimeContent } from '../../../../src/emails/submission/mime/message-content.js';
import { readEntity } from '../../../../src/emails/submission/mime/read-entity.js';

type Part = readonly string[];

let boundaries = 0;

function part(type: string, content: string): Part {
  return [`Content-Type: ${type}`, '', content];
}

function multipart(subtype: string, ...parts: readonly Part[]): Part {
  const boundary = `b${++boundaries}`;
  const lines = parts.flatMap((lines) => [`--${boundary}`, ...lines]);
  return [`Content-Type: multipart/${subtype}; boundary=${boundary}`, '', ...lines, `--${boundary}--`];
}

async function contentOf(lines: Part): Promise<MimeContent> {
  return readMimeContent(await readEntity(Buffer.from(lines.join('\r\n'))));
}

const file = part('application/pdf', 'x');
const plain = (text: string): Part => part('text/plain', text);
const html = (source: string): Part => part('text/html', source);

const shown = (text: string): string => `<div style="white-space: pre-wrap">${text}</div>\n`;

describe('a text before HTML that is not its alternative', () => {
  it('is shown before the HTML, as it is', async () => {
    const read = await contentOf(multipart('mixed', plain('Dear <Ada> &\r\n  all,\r\n'), html('<p>x</p>'), file));
    expect(read).toMatchObject({ html: `${shown('Dear &lt;Ada&gt; &amp;<br>  all,')}<p>x</p>`, text: undefined });
    expect(read.files).toHaveLength(1);
  });

  it.each([
    ['<!DOCTYPE html><html><head><style>p {}</style></head><BODY class="a>b" >', '<p>x</p></body></html>'],
    ['<!--[if mso]><body class="mso"><![endif]--><!--[if !mso]><!--><body>', '<!--<![endif]--><p>x</p></body>'],
    ['', '<bodybuilder>x</bodybuilder><!-- <body> -->'],
    ['', '<p>x</p><body class="never closed'],
    ['', '<!-- never closed <body>'],
  ])('begins the body: %s', async (before, after) => {
    const read = await contentOf(multipart('mixed', plain('Hello'), html(before + after)));
    expect(read.html).toBe(`${before}${shown('Hello')}${after}`);
  });

  it('begins both alternatives that follow it', async () => {
    const alternatives = multipart('alternative', plain('plain'), html('<p>x</p>'));
    const { html: source, text } = await contentOf(multipart('mixed', plain('Hello\r\n'), alternatives));
    expect([source, text]).toEqual([`${shown('Hello')}<p>x</p>`, 'Hello\n\nplain']);
  });

  it('begins a text deeper within the alternatives that follow it', async () => {
    const deep = multipart('related', plain('deep'), part('image/png', 'x'));
    const alternatives = multipart('alternative', deep, html('<p>x</p>'));
    const { text, files } = await contentOf(multipart('mixed', plain('Hello'), alternatives));
    expect([text, files.length]).toEqual(['Hello\n\ndeep', 1]);
  });

  it('begins HTML that comes with images', async () => {
    const related = multipart('related', html('<p>x</p>'), part('image/png', 'x'));
    expect(await contentOf(multipart('mixed', plain('Hello'), related))).toMatchObject({
      html: `${shown('Hello')}<p>x</p>`,
      text: undefined,
    });
  });

  it('adds nothing if it is blank, and stays the text if the HTML is', async () => {
    expect(await contentOf(multipart('mixed', plain('\r\n '), html('<p>x</p>')))).toMatchObject({
      html: '<p>x</p>',
      text: undefined,
    });
    expect(await contentOf(multipart('mixed', plain('Hello'), html('\r\n')))).toMatchObject({ text: 'Hello' });
  });
});

it('a text before MJML stays its alternative, because the MJML would not be compiled otherwise', async () => {
  const mjml = '<mjml><mj-body></mj-body></mjml>';
  expect(await contentOf(multipart('mixed', plain('Hello'), html(mjml)))).toMatchObject({ html: mjml, text: 'Hello' });
});

describe('alternatives stay apart', () => {
  it.each<[string, Part]>([
    ['directly', multipart('alternative', plain('Hello'), html('<p>x</p>'))],
    ['with files', multipart('mixed', multipart('alternative', plain('Hello'), html('<p>x</p>')), file)],
    ['HTML with files', multipart('alternative', plain('Hello'), multipart('mixed', html('<p>x</p>'), file))],
    ['text with files', multipart('alternative', multipart('mixed', plain('Hello'), file), html('<p>x</p>'))],
    ['HTML first', multipart('alternative', html('<p>x</p>'), plain('Hello'))],
  ])('%s', async (_, lines) => {
    expect(await contentOf(lines)).toMatchObject({ html: '<p>x</p>', text: 'Hello' });
  });

  it('and a text after the HTML stays a file', async () => {
    const read = await contentOf(multipart('mixed', html('<p>x</p>'), plain('Footer')));
    expect(read).toMatchObject({ html: '<p>x</p>', text: undefined, files: [{ filename: 'attachment-1.txt' }] });
  });
});

describe('IDs of files', () => {
  const image = (id: string): Part => [`Content-ID: <${id}>`, ...part('image/png', 'x')];
  const idsIn = async (source: string, ...ids: string[]) => {
    const { files } = await contentOf(multipart('related', html(source), ...ids.map(image)));
    return files.map(({ contentId }) => contentId);
  };

  it('are kept only for files to which the HTML refers', async () => {
    const ids = ['shown@x', 'escaped@x', 'shown@x', 'other@x', 'show'];
    expect(await idsIn('<img src="cid:shown@x"><img src="cid:escaped%40x">', ...ids)).toEqual([
      ...['shown@x', 'escaped@x', null, null, null],
    ]);
  });

  it.each([
    '<td background=cid:a>',
    "<p style='background: url(cid:a)'>",
    '<p style="background: url(&quot;cid:a&quot;)">',
  ])('are found in %s', async (source) => {
    expect(await idsIn(source, 'a')).toEqual(['a']);
  });

  it.each([
    [999, 'a'],
    [1_000, null],
  ])('after %d that only begin alike: %j', async (longer, found) => {
    expect(await idsIn(`${'<img src="cid:a0">'.repeat(longer)}<img src="cid:a">`, 'a')).toEqual([found]);
  });
});
