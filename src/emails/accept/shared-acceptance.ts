import { Batcher } from '../../platform/database/batcher.js';
import type { EmailToAccept } from './acceptance-values.js';

/** Emails of a statement. */
const MAX_BATCH = 32;
/** Longer content is stored alone: it takes a statement long, and others would wait for it. In characters. */
const MAX_SHARED_LENGTH = 256 * 1024;
/** A statement that takes longer, perhaps because it waits for a lock, no longer holds up the next one. */
const PATIENCE_MS = 100;

/**
 * Lets emails of one organization share statements: what arrives while one is under way is stored by the next. README.md
 * says what this saves, and what it must never do.
 */
export class SharedAcceptance<Outcome> {
  private readonly batchers = new Map<string, Batcher<EmailToAccept, Outcome>>();
  /** Idempotency keys of the emails that share statements at the moment, each after its organization. */
  private readonly keys = new Set<string>();

  /** @param accept stores emails of one organization, all or none; returns one outcome per email, in order */
  constructor(private readonly accept: (emails: readonly EmailToAccept[]) => Promise<readonly Outcome[]>) {}

  async call(email: EmailToAccept): Promise<Outcome> {
    const { organizationId, html, text } = email.email;
    const key = email.claim && `${organizationId} ${email.claim.key}`;
    const isLong = html.length + (text?.length ?? 0) > MAX_SHARED_LENGTH;
    // A statement cannot claim a key twice. Of statements that claim the same one, the second waits for the first.
    if (isLong || (key !== undefined && this.keys.has(key))) return (await this.accept([email]))[0]!;
    if (key !== undefined) this.keys.add(key);
    const batcher = this.batcherOf(organizationId);
    try {
      return await batcher.call(email);
    } finally {
      if (key !== undefined) this.keys.delete(key);
      if (batcher.isIdle) this.batchers.delete(organizationId);
    }
  }

  private batcherOf(organizationId: string): Batcher<EmailToAccept, Outcome> {
    const known = this.batchers.get(organizationId);
    if (known) return known;
    const batcher = new Batcher<EmailToAccept, Outcome>((emails) => this.accept(emails), MAX_BATCH, PATIENCE_MS);
    this.batchers.set(organizationId, batcher);
    return batcher;
  }
}
