import { Inject, Injectable } from '@nestjs/common';
import { Senders } from '../../emails/accept/sender.js';
import { requireStoredMailbox } from '../../emails/mailbox.js';
import { generateTrackingIdOf } from '../../links/organization-tag.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { Clock } from '../../platform/clock/clock.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import type { Sql } from '../../platform/database/database.js';
import type { RenderedSubjects } from './broadcast-subjects.js';
import { MAKE_EMAILS } from './make-emails-statement.js';
import { TOTAL_SHARDS } from '../../campaigns/total-shards.js';

/** The fields of a broadcast on which its emails depend. */
export interface BroadcastOfEmails {
  readonly id: string;
  readonly organization_id: string;
  readonly campaign_id: string;
  readonly sender: string;
  readonly reply_to: string | null;
  readonly subject: string;
  readonly tags: string[] | null;
  readonly headers: object | null;
  readonly attachments: readonly object[] | null;
  readonly next_place: string;
}

export interface MadeEmails {
  /** Recipients that need no further step. */
  readonly settled: number;
  /** How many of them get no email. */
  readonly suppressed: number;
}

/** Turns recipients of a broadcast into emails. */
@Injectable()
export class BroadcastEmails {
  constructor(
    private readonly senders: Senders,
    private readonly keys: SigningKeyRing,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param sql a transaction that has locked the broadcast
   * @param rendered the subjects of the recipients, if they have variables
   */
  async make(
    sql: Sql,
    broadcast: BroadcastOfEmails,
    size: number,
    rendered: RenderedSubjects | undefined,
  ): Promise<MadeEmails> {
    const now = rendered?.now ?? this.clock.now();
    const count = Array.from({ length: size });
    const { key, domains, needsProviderSignature, onVerified, otherwise } = this.senderOf(broadcast);
    const [made] = await MAKE_EMAILS.run<{ settled: number; suppressed: number }>(sql, {
      broadcastId: broadcast.id,
      organizationId: broadcast.organization_id,
      campaignId: broadcast.campaign_id,
      after: broadcast.next_place,
      emailIds: count.map(() => uuidV7(now)),
      trackingIds: count.map(() => generateTrackingIdOf(this.keys.current, broadcast.organization_id)),
      subject: broadcast.subject,
      places: rendered?.places ?? [],
      subjects: rendered?.subjects ?? [],
      tags: broadcast.tags,
      headers: jsonOf(broadcast.headers),
      attachments: jsonOf(broadcast.attachments),
      createdAt: new Date(now),
      senderKey: key,
      senderDomains: domains,
      needsProviderSignature,
      verifiedFrom: onVerified.from,
      verifiedReplyTo: onVerified.replyTo,
      otherFrom: otherwise.from,
      otherReplyTo: otherwise.replyTo,
      totalShard: Math.floor(Math.random() * TOTAL_SHARDS),
    });
    return made!;
  }

  private senderOf({ organization_id, sender, reply_to }: BroadcastOfEmails): ReturnType<Senders['choose']> {
    const replyTo = reply_to === null ? undefined : requireStoredMailbox(reply_to);
    return this.senders.choose(organization_id, { from: requireStoredMailbox(sender), ...(replyTo && { replyTo }) });
  }
}

function jsonOf(value: object | null): string | null {
  return value && JSON.stringify(value);
}
