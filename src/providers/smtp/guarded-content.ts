import { Transform, type Duplex, type TransformCallback } from 'node:stream';
import type { HandOver } from '../provider.js';
import { searchDotsQuickly } from './nodemailer-overrides/quick-dots.js';
import type { ContentProgress } from './smtp-outcome.js';

/** Bytes held back at the end of a message. A smaller message is held back whole, so that it is sent in one piece. */
const HELD_BACK_BYTES = 64 * 1024;

/** Passes a message through but holds its end back until the email is claimed. */
export class GuardedContent extends Transform implements ContentProgress {
  isComplete = false;
  /** True once the email could not be claimed. */
  isDenied = false;
  /** Nodemailer's stream into which it is piped once the server is ready for content. */
  target: Duplex | undefined;
  private heldBack: Buffer = Buffer.alloc(0);
  /** Resolves after DATA, when the server is ready for content. Nodemailer composes the content earlier. */
  private readonly serverIsReady = new Promise<void>((resolve) => this.once('resume', resolve));

  constructor(private readonly handOver: HandOver) {
    super();
  }

  get hasBegun(): boolean {
    return this.readableDidRead;
  }

  /** Nodemailer pipes the content into a stream of its own, and that into the socket. */
  override pipe<Destination extends NodeJS.WritableStream>(to: Destination, options?: { end?: boolean }): Destination {
    this.target = to as unknown as Duplex;
    searchDotsQuickly(to);
    return super.pipe(to, options);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const content = this.heldBack.length === 0 ? chunk : Buffer.concat([this.heldBack, chunk]);
    const end = Math.max(0, content.length - HELD_BACK_BYTES);
    this.heldBack = content.subarray(end);
    if (end > 0) this.push(content.subarray(0, end));
    done();
  }

  override _flush(done: TransformCallback): void {
    void this.serverIsReady.then(this.handOver).then((allowed) => {
      if (this.destroyed) return;
      this.isDenied = !allowed;
      if (!allowed) return done(new Error('The message must not be completed'));
      this.isComplete = true;
      done(null, this.heldBack);
    });
  }
}
