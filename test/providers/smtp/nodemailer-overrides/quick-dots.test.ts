import { Buffer } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { searchDotsQuickly, type DotStream } from '../../../../src/providers/smtp/nodemailer-overrides/quick-dots.js';

let NodemailerStream: new () => DotStream;

beforeAll(async () => {
  // The package does not export it.
  const file = resolve('node_modules/nodemailer/dist/esm/smtp-connection/data-stream.js');
  ({ default: NodemailerStream } = (await import(file)) as { default: new () => DotStream });
});

async function sent(stream: DotStream, chunks: readonly Buffer[]): Promise<{ content: string; bytes: number[] }> {
  const content = buffer(stream);
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return { content: (await content).toString('latin1'), bytes: [stream.inByteCount, stream.outByteCount] };
}

const quick = (): DotStream => {
  const stream = new NodemailerStream();
  searchDotsQuickly(stream);
  return stream;
};

const piece = fc.constantFrom('.', '\r\n', '\r\n.', '\r', '\n', 'a', 'a line', '..', '\r\n..\r\n', 'ä');
const chunks = fc.array(
  fc.array(piece, { maxLength: 8 }).map((pieces) => Buffer.from(pieces.join(''))),
  { maxLength: 5 },
);

describe('the search for dots at the start of lines', () => {
  it('sends the same bytes as nodemailer, for any line ends and chunks', async () => {
    await fc.assert(
      fc.asyncProperty(chunks, async (content) => {
        expect(await sent(quick(), content)).toEqual(await sent(new NodemailerStream(), content));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not read content with correct line ends byte by byte', async () => {
    const stream = new NodemailerStream();
    let slow = 0;
    const slowly = stream._transform.bind(stream);
    stream._transform = (...call) => {
      slow++;
      slowly(...call);
    };
    searchDotsQuickly(stream);
    const { content } = await sent(stream, [Buffer.from('Subject: x\r\n\r\n.hidden\r\n'), Buffer.from('end\r\n')]);
    expect(content).toBe('Subject: x\r\n\r\n..hidden\r\nend\r\n.\r\n');
    expect(slow).toBe(0);
  });

  it('does not change streams of another kind', () => {
    const stream = { _transform: () => 'another' };
    searchDotsQuickly(stream);
    expect(stream._transform()).toBe('another');
  });
});
