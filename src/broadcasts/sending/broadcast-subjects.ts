import { Injectable } from '@nestjs/common';
import { MAX_SUBJECT } from '../../emails/accept/send-request.js';
import type { Sql } from '../../platform/database/database.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';

/** A broadcast as far as subjects depend on it. */
interface BroadcastOfSubjects {
  readonly id: string;
  readonly organization_id: string;
  readonly subject: string;
  readonly next_place: string;
}

/** Time for the subjects of one chunk: the transaction waits for them. */
const LIMIT_MS = 1_000;

/**
 * The subjects of the next emails, for lists and webhooks. Those that take too long or fail are shown as the template;
 * the worker renders each email with its subject again.
 */
@Injectable()
export class BroadcastSubjects {
  constructor(private readonly pool: RenderingPool) {}

  /** @param now the time of the emails, in milliseconds since 1970 */
  async next(
    sql: Sql,
    { id, organization_id, next_place, subject }: BroadcastOfSubjects,
    size: number,
    now: number,
  ): Promise<string[]> {
    if (!/\{[{%]/.test(subject)) return Array.from({ length: size }, () => subject);
    const recipients = await sql.query<{ variables: Record<string, unknown> | null }>(
      `select variables from broadcast_recipients where broadcast_id = $1 and place > $2::bigint order by place limit $3`,
      [id, next_place, size],
    );
    const startedAt = performance.now();
    const source = { subject, html: null, text: null };
    const requester = {
      organizationId: organization_id,
      mayBeRefused: false,
      hasGone: () => performance.now() - startedAt > LIMIT_MS,
    };
    const render = async (variables: Record<string, unknown> | null): Promise<string> => {
      const request = { source, variables: variables ?? {}, now };
      const rendered = await this.pool.renderMessage(request, requester).catch(() => undefined);
      return rendered?.subject && rendered.subject.length <= MAX_SUBJECT ? rendered.subject : subject;
    };
    const subjects = await Promise.all(recipients.map(({ variables }) => render(variables)));
    return [...subjects, ...Array.from({ length: size - subjects.length }, () => subject)];
  }
}
