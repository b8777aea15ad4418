import { Transform } from 'node:stream';
import type { DkimKey } from '../provider.js';
import { dkimSignature } from './dkim-signature.js';

/** Creates a stream that buffers a whole message and puts its signature in front. */
export function dkimSigning(key: DkimKey): Transform {
  const chunks: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
    flush(done) {
      const message = Buffer.concat(chunks);
      dkimSignature(message, key).then((field) => {
        this.push(field, 'latin1');
        done(null, message);
      }, done);
    },
  });
}
