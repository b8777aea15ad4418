import { Batcher } from '../../platform/database/batcher.js';
import type { EmailToAccept } from './acceptance-values.js';

/** Emails of a statement. */
const MAX_BATCH = 32;
/** Longer content is stored alone: it takes a statement long, and others would wait for it. In characters. */
const MAX_SHARED_LENGTH = 256 * 1024;
/** A statement that takes longer, perhaps because it waits for a lock, no longer holds up the next one. */
const PATIENCE_MS = 100;
/** Batchers that are kept with the recent load of their organizations, before idle ones are dropped. */
const MAX_BATCHERS = 1_000;

/**
 * Lets emails of one organization share statements: what arrives while one is under way is stored by the next.
 * README.md says what this saves, and what it must never do.
 */
export class SharedAcceptance<Outcome> {
  private readonly batchers = new Map<string, Batcher<EmailToAccept, Outcome>>();
  /** The idempotency keys that are claimed at the moment, each after its organization, and the end of that. */
  private readonly claims = new Map<string, Promise<unknown>>();

  /** @param accept stores emails of one organization, all or none; returns one outcome per email, in order */
  constructor(private readonly accept: (emails: readonly EmailToAccept[]) => Promise<readonly Outcome[]>) {}

  async call(email: EmailToAccept): Promise<Outcome> {
    const { organizationId } = email.email;
    const key = email.claim && `${organizationId} ${email.claim.key}`;
    const earlier = key === undefined ? undefined : this.claims.get(key);
    if (earlier) {
      // A statement cannot claim a key twice, and one that claims it as well would only wait in Postgres.
      await earlier.catch(() => undefined);
      return this.alone(email);
    }
    const outcome = isLong(email) ? this.alone(email) : this.batcherOf(organizationId).call(email);
    if (key === undefined) return outcome;
    this.claims.set(key, outcome);
    return outcome.finally(() => this.claims.delete(key));
  }

  private async alone(email: EmailToAccept): Promise<Outcome> {
    const [outcome] = await this.accept([email]);
    return outcome!;
  }

  private batcherOf(organizationId: string): Batcher<EmailToAccept, Outcome> {
    const known = this.batchers.get(organizationId);
    if (known) return known;
    if (this.batchers.size >= MAX_BATCHERS) this.dropIdleBatchers();
    const batcher = new Batcher<EmailToAccept, Outcome>((emails) => this.accept(emails), {
      maxItems: MAX_BATCH,
      locksRows: true,
      overlapAfterMs: PATIENCE_MS,
    });
    this.batchers.set(organizationId, batcher);
    return batcher;
  }

  private dropIdleBatchers(): void {
    for (const [organizationId, batcher] of this.batchers) if (batcher.isIdle) this.batchers.delete(organizationId);
  }
}

function isLong({ email: { html, text } }: EmailToAccept): boolean {
  return html.length + (text?.length ?? 0) > MAX_SHARED_LENGTH;
}
