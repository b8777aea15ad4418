import { Transform } from 'node:stream';
import type { DkimKey } from '../provider.js';
import { dkimSignature } from './dkim-signature.js';
import { RelaxedBodyHash } from './relaxed-body-hash.js';

/** Separates the header of a message from its body. */
const HEADER_END = '\r\n\r\n';

/** Creates a stream that buffers a whole message and puts its signature in front. */
export function dkimSigning(key: DkimKey): Transform {
  const chunks: Buffer[] = [];
  const body = new RelaxedBodyHash();
  let beginning = '';
  let header: string | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      const text = chunk.toString('latin1');
      if (header !== undefined) {
        body.update(text);
      } else {
        beginning += text;
        const end = beginning.indexOf(HEADER_END);
        if (end !== -1) {
          header = beginning.slice(0, end);
          body.update(beginning.slice(end + HEADER_END.length));
        }
      }
      done();
    },
    flush(done) {
      dkimSignature(header ?? beginning, body.digest(), key).then((field) => {
        this.push(field, 'latin1');
        for (const chunk of chunks) this.push(chunk);
        done();
      }, done);
    },
  });
}
