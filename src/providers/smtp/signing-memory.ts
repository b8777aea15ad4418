/** Base64 turns three bytes of an attachment into four. A larger message waits until it is the only one. */
const SIGNING_BYTES = 64 * 1024 * 1024;

/**
 * Limits the bytes of messages with attachments that are in memory at once for signing: a signature covers the whole
 * message and precedes it. Messages take turns in order of arrival.
 */
export class SigningMemory {
  private held = 0;
  private waiting: { readonly bytes: number; readonly begin: () => void }[] = [];

  /** Runs `work` once its bytes fit. @returns undefined if the signal aborts before that */
  async hold<Result>(bytes: number, work: () => Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
    const size = Math.min(bytes, SIGNING_BYTES);
    if (!(await this.turn(size, signal))) return undefined;
    try {
      return await work();
    } finally {
      this.held -= size;
      this.admit();
    }
  }

  /** @returns false if the signal aborts first */
  private turn(bytes: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false);
      const end = (isAdmitted: boolean): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(isAdmitted);
      };
      const entry = { bytes, begin: () => end(true) };
      const giveUp = (): void => {
        this.waiting = this.waiting.filter((one) => one !== entry);
        end(false);
        // A smaller message may have waited behind this one.
        this.admit();
      };
      signal.addEventListener('abort', giveUp);
      this.waiting.push(entry);
      this.admit();
    });
  }

  private admit(): void {
    for (let next = this.waiting[0]; next && this.held + next.bytes <= SIGNING_BYTES; next = this.waiting[0]) {
      this.waiting.shift();
      this.held += next.bytes;
      next.begin();
    }
  }
}
