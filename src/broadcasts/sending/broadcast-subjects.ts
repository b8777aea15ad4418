import { Injectable } from '@nestjs/common';
import { isLongSubject } from '../../emails/accept/send-request.js';
import type { Sql } from '../../platform/database/database.js';
import type { SubjectsRequest } from '../../rendering/personalize/message-tasks.js';
import { RequesterGoneError } from '../../rendering/rendering-limit-error.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';

/** The fields of a broadcast on which subjects depend. */
interface BroadcastOfSubjects {
  readonly id: string;
  readonly organization_id: string;
  readonly subject: string;
  readonly next_place: string;
}

/** How long subjects may wait for a rendering thread; the transaction stays open for that time. */
const WAIT_MS = 1_000;

/**
 * Renders the subjects of the next emails, for lists and webhooks. A subject that fails to render is stored as the
 * template; the worker renders each email with its subject again.
 */
@Injectable()
export class BroadcastSubjects {
  constructor(private readonly pool: RenderingPool) {}

  /**
   * @param now the time of the emails, in milliseconds since 1970
   * @returns undefined while no rendering thread is free
   */
  async next(
    sql: Sql,
    { id, organization_id, next_place, subject }: BroadcastOfSubjects,
    size: number,
    now: number,
  ): Promise<string[] | undefined> {
    if (!/\{[{%]/.test(subject)) return Array.from({ length: size }, () => subject);
    const recipients = await sql.query<{ variables: Record<string, unknown> | null }>(
      `select variables from broadcast_recipients where broadcast_id = $1 and place > $2::bigint order by place limit $3`,
      [id, next_place, size],
    );
    const rendered = await this.render(organization_id, {
      ...{ subject, now },
      variables: recipients.map(({ variables }) => variables ?? {}),
    });
    return rendered && Array.from({ length: size }, (_, index) => usable(rendered[index]) ?? subject);
  }

  private async render(organizationId: string, request: SubjectsRequest): Promise<(string | null)[] | undefined> {
    const startedAt = performance.now();
    const hasGone = (): boolean => performance.now() - startedAt > WAIT_MS;
    try {
      return await this.pool.renderSubjects(request, { organizationId, mayBeRefused: false, hasGone });
    } catch (error) {
      return error instanceof RequesterGoneError ? undefined : [];
    }
  }
}

function usable(subject: string | null | undefined): string | undefined {
  return subject && !isLongSubject(subject) ? subject : undefined;
}
