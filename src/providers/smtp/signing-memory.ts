/** Base64 turns three bytes of an attachment into four. */
const SIGNING_BYTES = 64 * 1024 * 1024;

/**
 * Limits the bytes of messages with attachments that are in memory at once for signing: a signature covers the whole
 * message and precedes it. Messages take turns in order of arrival.
 */
export class SigningMemory {
  private held = 0;
  private readonly waiting: { readonly bytes: number; readonly begin: () => void }[] = [];

  /** @param limit in bytes; a larger message waits until it is the only one */
  constructor(private readonly limit = SIGNING_BYTES) {}

  /** Runs `work` once its bytes fit. */
  async hold<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    const size = Math.min(bytes, this.limit);
    await new Promise<void>((begin) => {
      this.waiting.push({ bytes: size, begin });
      this.admit();
    });
    try {
      return await work();
    } finally {
      this.held -= size;
      this.admit();
    }
  }

  private admit(): void {
    for (let next = this.waiting[0]; next && this.held + next.bytes <= this.limit; next = this.waiting[0]) {
      this.waiting.shift();
      this.held += next.bytes;
      next.begin();
    }
  }
}
