import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import { RenderingWaitError } from '../../rendering/rendering-limit-error.js';
import { DeliverEmail, type PreparedEmail } from './deliver-email.js';

/** Maximum length of the HTML and text parts of all prepared emails, in characters. Most emails have under 100,000. */
const MAX_CHARACTERS = 16_000_000;

/**
 * Prepares emails that wait for a slot. A slot is then held only while a crash would leave the outcome unknown, so more
 * emails are delivered with as many slots. At most as many emails are prepared as there are slots.
 */
@Injectable()
export class PreparedAhead {
  /** Number of emails that are prepared or being prepared. */
  private emails = 0;
  private characters = 0;
  private readonly lengths = new Map<PreparedEmail, number>();

  constructor(
    private readonly delivery: DeliverEmail,
    @Inject(SETTINGS) private readonly settings: Pick<RunSettings, 'WORKER_CONCURRENCY'>,
  ) {}

  /**
   * @returns the email, to be released; undefined when enough others are prepared, when it is not due, or when it could
   *   not be prepared, which its run tries again
   * @throws RenderingWaitError when no rendering thread is free for it in time
   */
  async prepare(job: Jobs['send-email'], stalls: number): Promise<PreparedEmail | undefined> {
    if (this.emails >= this.settings.WORKER_CONCURRENCY || this.characters >= MAX_CHARACTERS) return undefined;
    this.emails += 1;
    let prepared: PreparedEmail | undefined;
    try {
      prepared = await this.delivery.prepareAhead(job, stalls);
    } catch (error) {
      // In a slot, it would wait once more.
      if (error instanceof RenderingWaitError) throw error;
    } finally {
      if (!prepared) this.emails -= 1;
    }
    if (!prepared) return undefined;
    const length = lengthOf(prepared);
    this.lengths.set(prepared, length);
    this.characters += length;
    return prepared;
  }

  /** The email no longer waits. Ignores emails that were prepared by others. */
  release(prepared: PreparedEmail): void {
    const length = this.lengths.get(prepared);
    if (length === undefined) return;
    this.lengths.delete(prepared);
    this.emails -= 1;
    this.characters -= length;
  }
}

function lengthOf({ email, render }: PreparedEmail): number {
  const rendered = render();
  const source = email.html.length + (email.text?.length ?? 0);
  return 'html' in rendered ? source + rendered.html.length + rendered.text.length : source;
}
