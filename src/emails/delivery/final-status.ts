import type { Sql } from '../../platform/database/database.js';

type SentOrFailed =
  { readonly status: 'sent'; readonly sentAt: Date } | { readonly status: 'failed'; readonly reason: string };

/** @returns undefined while the email is neither sent nor failed, and when it no longer exists */
export async function readFinalStatus(sql: Sql, emailId: string): Promise<SentOrFailed | undefined> {
  const [final] = await sql.query<SentOrFailed>(
    `select status, sent_at as "sentAt", last_error as reason from emails
      where id = $1 and status in ('sent', 'failed')`,
    [emailId],
  );
  return final;
}
