import { Transform, type TransformCallback } from 'node:stream';
import type { HandOver } from '../provider.js';
import type { ContentProgress } from './smtp-outcome.js';

/** What is kept back of a large message; a small one is kept back whole, so that it still leaves in one piece. */
const KEPT_BACK_BYTES = 16 * 1024;

/** Lets a message through but for its end, which leaves once the email is claimed. */
export class GuardedContent extends Transform implements ContentProgress {
  isComplete = false;
  private keptBack: Buffer = Buffer.alloc(0);
  /** The content is composed while sender and recipients are still being told; it flows once the server wants it. */
  private readonly isWanted = new Promise<void>((resolve) => this.once('resume', resolve));

  constructor(private readonly handOver: HandOver) {
    super();
  }

  get hasBegun(): boolean {
    return this.readableDidRead;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const content = this.keptBack.length === 0 ? chunk : Buffer.concat([this.keptBack, chunk]);
    const end = Math.max(0, content.length - KEPT_BACK_BYTES);
    this.keptBack = content.subarray(end);
    if (end > 0) this.push(content.subarray(0, end));
    done();
  }

  override _flush(done: TransformCallback): void {
    void this.isWanted.then(this.handOver).then((allowed) => {
      if (this.destroyed) return;
      if (!allowed) return done(new Error('The message is not to be completed'));
      this.isComplete = true;
      done(null, this.keptBack);
    });
  }
}
